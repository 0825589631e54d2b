import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { openFileSandbox, paths, type Raw, validBodies } from './open-sandbox.ts'

const sandbox = await openFileSandbox({ limits: false })

const json = { 'content-type': 'application/json' }
const ask = JSON.stringify(validBodies.E5)
/** A request that is right but for what a row changes. */
const asked: Raw = { headers: json, body: ask }
const owner = `${paths.E5}?app_key=sandbox-owner`

const requests: readonly [title: string, path: string, raw: Raw, status: number, code: string][] = [
  ['an unknown path', '/monit/preview/async?app_key=sandbox-owner', asked, 404, 'RouteNotFound'],
  ['the root', '/', { method: 'GET' }, 404, 'RouteNotFound'],
  ['a slash too many', `${paths.E5}/?app_key=sandbox-owner`, asked, 404, 'RouteNotFound'],
  ['a path in capitals', `${paths.E5.toUpperCase()}?app_key=sandbox-owner`, asked, 404, 'RouteNotFound'],
  ['a broken escape in the path', '/monit/%zz', asked, 400, 'BadRequest'],
  ['DELETE', owner, { method: 'DELETE' }, 405, 'MethodNotAllowed'],
  ['OPTIONS', owner, { method: 'OPTIONS' }, 405, 'MethodNotAllowed'],
  ['no key', paths.E5, asked, 401, 'Unauthorized'],
  ['an empty key', `${paths.E5}?app_key=`, asked, 401, 'Unauthorized'],
  ['an unknown key', `${paths.E5}?app_key=Sandbox-owner`, asked, 401, 'Unauthorized'],
  ['two keys', `${owner}&app_key=sandbox-owner`, asked, 401, 'Unauthorized'],
  [
    'a key in a header',
    paths.E5,
    { headers: { ...json, app_key: 'sandbox-owner' }, body: ask },
    401,
    'Unauthorized',
  ],
  ['no content type', owner, { body: Buffer.from(ask) }, 400, 'InvalidContentType'],
  ['no type at all', owner, { headers: { 'content-type': 'json' }, body: ask }, 400, 'InvalidContentType'],
  [
    'two types',
    owner,
    { headers: { 'content-type': 'application/json, text/plain' }, body: ask },
    400,
    'InvalidContentType',
  ],
  ['no type and no key', paths.E5, { headers: { 'content-type': 'json' }, body: ask }, 401, 'Unauthorized'],
  [
    'a JSON of another kind',
    owner,
    { headers: { 'content-type': 'application/jsonp' }, body: ask },
    400,
    'InvalidContentType',
  ],
  [
    'another charset',
    owner,
    { headers: { 'content-type': 'application/json; charset=latin1' }, body: ask },
    400,
    'InvalidContentType',
  ],
  [
    'a compressed body',
    owner,
    { headers: { ...json, 'content-encoding': 'gzip' }, body: ask },
    400,
    'InvalidContentType',
  ],
  ['no body', owner, { headers: json }, 400, 'BadRequest'],
  [
    'bytes that are not UTF-8',
    owner,
    { headers: json, body: Buffer.from([0x22, 0xff, 0x22]) },
    400,
    'BadRequest',
  ],
  ['a byte order mark', owner, { headers: json, body: `\ufeff${ask}` }, 400, 'BadRequest'],
  ['null as body', owner, { headers: json, body: 'null' }, 400, 'InvalidParameter'],
  ['a body above 1 MiB', owner, { headers: json, body: ' '.repeat(1_048_577) }, 413, 'EntityTooLarge'],
]

describe('what is wrong before the operation is looked at', () => {
  it.each(requests)('%s', async (_title, path, raw, status, code) => {
    const reply = await sandbox.send(path, raw)
    expect({ status: reply.status, ...reply.json }).toEqual({
      status,
      request_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      error: { code, message: expect.stringMatching(/./) },
    })
    expect(reply.headers['service-request-id']).toBe(reply.json.request_id)
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
    if (status === 405) expect(reply.headers['allow']).toBe('POST')
  })

  it('takes a body of exactly 1 MiB, and a charset', async () => {
    const body = ask + ' '.repeat(1_048_576 - ask.length)
    const headers = { 'content-type': 'Application/JSON; charset="UTF-8"' }
    expect((await sandbox.send(owner, { headers, body })).json.data.status).toBe('success')
  })

  it('answers what is not HTTP with an envelope', async () => {
    const { port } = new URL(sandbox.url)
    const text = await new Promise<string>((resolve, reject) => {
      let received = ''
      const socket = connect(Number(port), '127.0.0.1', () => socket.write('HELLO\r\n\r\n'))
      socket.setEncoding('utf8').on('data', (part) => {
        received += part
      })
      socket.on('end', () => resolve(received)).on('error', reject)
    })
    expect(text).toMatch(
      /^HTTP\/1\.1 400 .*\r\n\r\n\{"request_id":"[0-9a-f]{32}","error":\{"code":"BadRequest"/s,
    )
  })
})

describe('permissions', () => {
  it('come before the contents of the body, and after its JSON', async () => {
    expect((await sandbox.call('E8', {}, 'sandbox-guest')).json.error.code).toBe('AccessDenied')
    const broken = await sandbox.send(`${paths.E8}?app_key=sandbox-guest`, { headers: json, body: '{' })
    expect(broken.json.error.code).toBe('BadRequest')
  })
})

describe('languages', () => {
  it.each([
    [undefined, 'en'],
    ['de', 'en'],
    ['zh-CN,zh;q=0.9,en;q=0.8', 'zh'],
    ['en;q=0.3, zh;q=0.7', 'zh'],
    ['zh;q=0', 'en'],
    ['fr, en-GB;q=0.8, zh;q=0.5', 'en'],
  ])('%s → %s', async (header, language) => {
    const headers = header === undefined ? {} : { 'accept-language': header }
    const unauthorized = await sandbox.call('E5', validBodies.E5, 'nobody', headers)
    const missing = await sandbox.call(
      'E5',
      { ds_type: 'prometheus', ds_name: 'prom-main' },
      'sandbox-owner',
      headers,
    )
    expect(unauthorized.headers['content-language']).toBe(language)
    const isChinese = /\p{Script=Han}/u
    expect(isChinese.test(unauthorized.json.error.message)).toBe(language === 'zh')
    expect(isChinese.test(missing.json.error.message)).toBe(language === 'zh')
    expect(missing.json.error.message).toContain('expr')
  })
})
