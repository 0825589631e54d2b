import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Payload } from '@temporalio/common'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { createCodec } from '../../src/engine/temporal/codec/create-codec.ts'
import { readPayloadKeys } from '../../src/engine/temporal/codec/read-keys.ts'
import { opsbook } from './support/opsbook.ts'
import { type CodecServer, startCodecServer } from './support/start-codec-server.ts'

const canary = 'canary-4711'
const ours = `ours:${randomBytes(32).toString('base64')}`
const theirs = `theirs:${randomBytes(32).toString('base64')}`
const codecOf = (keys: string) => createCodec({ keys: readPayloadKeys(keys), onUnreadable: 'throw' })

const json = (value: unknown): Payload => ({
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(JSON.stringify(value)),
})
const toBody = (payloads: readonly Payload[]) => ({
  payloads: payloads.map(({ metadata, data }) => ({
    metadata: Object.fromEntries(
      Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
    ),
    data: Buffer.from(data ?? []).toString('base64'),
  })),
})
const valuesIn = async (answer: Response): Promise<unknown[]> => {
  const { payloads } = (await answer.json()) as ReturnType<typeof toBody>
  return payloads.map(({ data }) => JSON.parse(Buffer.from(data, 'base64').toString()))
}

const page = 'http://localhost:8233'
let server: CodecServer
beforeAll(async () => {
  server = await startCodecServer({ OPSBOOK_TEMPORAL_KEYS: ours })
})
afterAll(async () => {
  expect(await server.stop()).toBe(0)
})
const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

describe('the codec server', () => {
  it.each(['/decode', '/default/decode', '/codec/v1/decode/', '//decode', '/decode?a=/encode'])(
    'decodes what workers wrote at %s',
    async (path) => {
      const long = { secret: canary, text: 'long '.repeat(1000) }
      const written = await codecOf(ours).encode([json({ secret: canary }), json(long), json(null)])
      const answer = await post(path, toBody(written), { 'x-namespace': 'default' })
      expect(answer.status).toBe(200)
      expect(await valuesIn(answer)).toEqual([{ secret: canary }, long, null])
    },
  )

  it('encodes what workers can read', async () => {
    const answer = await post('/encode', toBody([json({ secret: canary })]))
    const text = await answer.text()
    const [{ metadata, data }] = JSON.parse(text).payloads
    expect(Buffer.from(data, 'base64').toString('latin1')).not.toContain(canary)
    const bytes = Object.entries(metadata as Record<string, string>).map(
      ([name, value]) => [name, Buffer.from(value, 'base64')] as const,
    )
    const payload = { metadata: Object.fromEntries(bytes), data: Buffer.from(data, 'base64') }
    const [decoded] = await codecOf(ours).decode([payload])
    expect(Buffer.from(decoded?.data ?? []).toString()).toContain(canary)
  })

  it('says of each payload that it cannot read why, and decodes the others', async () => {
    const [foreign] = await codecOf(theirs).encode([json(canary)])
    const [damaged] = await codecOf(ours).encode([json(canary)])
    damaged?.data?.reverse()
    const [fine] = await codecOf(ours).encode([json('fine')])
    const answer = await post('/decode', toBody([foreign, damaged, fine] as Payload[]))
    expect(answer.status).toBe(200)
    expect(await valuesIn(answer)).toEqual([
      { opsbookUnreadable: expect.stringContaining('the key theirs') },
      { opsbookUnreadable: expect.stringContaining('cannot be decrypted') },
      'fine',
    ])
  })

  it('unfolds no more than memory is for', async () => {
    const metadata = { encoding: Buffer.from('binary/opsbook'), 'opsbook-gzip': Buffer.from('1') }
    const whole = 'a'.repeat(40 * 1024 * 1024)
    const data = gzipSync(Buffer.from(JSON.stringify(whole)))
    const answer = await post('/decode', toBody(Array(4).fill({ metadata, data })))
    const [one, two, ...others] = await valuesIn(answer)
    expect([one === whole, two === whole]).toEqual([true, true])
    expect(others).toEqual(
      Array(2).fill({ opsbookUnreadable: expect.stringContaining('ask for fewer of them') }),
    )
  })

  it.each([
    ['/decode', '{"payloads":[{"data":"canary', 400, 'not JSON'],
    ['/decode', { payloads: [{ data: `${canary}!` }] }, 400, 'base64'],
    ['/decode', { payloads: [{ metadata: { encoding: 1 } }] }, 400, 'base64'],
    ['/decode', [], 400, 'base64'],
    ['/decode', { payloads: [{ data: 'A'.repeat(9 * 1024 * 1024) }] }, 413, 'too large'],
    ['/other', { payloads: [] }, 404, '/decode'],
  ])('refuses what it cannot use without quoting it: %s, case %#', async (path, body, status, error) => {
    const answer = await post(path, body)
    const text = await answer.text()
    expect([answer.status, text]).toEqual([status, expect.stringContaining(error)])
    expect(text).not.toContain('canary')
  })

  it('takes JSON only, so that a browser asks first', async () => {
    const answer = await post('/decode', '{"payloads":[]}', { 'content-type': 'text/plain' })
    expect(answer.status).toBe(415)
  })
})

describe('web pages', () => {
  it('of the web UI may read payloads', async () => {
    const preflight = await fetch(`${server.url}/decode`, {
      method: 'OPTIONS',
      headers: {
        origin: page,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-namespace,authorization',
        'access-control-request-private-network': 'true',
      },
    })
    expect(preflight.status).toBe(204)
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': page,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization, content-type, x-namespace',
      'access-control-allow-private-network': 'true',
      vary: 'Origin',
    })
    const answer = await post('/decode', { payloads: [] }, { origin: page })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, page])
  })

  it.each(['http://evil.example', 'null', 'http://localhost:8234', `${page}.evil.example`])(
    'of %s may not',
    async (origin) => {
      for (const method of ['POST', 'OPTIONS'])
        expect((await fetch(`${server.url}/decode`, { method, headers: { origin } })).status).toBe(403)
    },
  )

  it('cannot reach it by a name that resolves to this machine', async () => {
    expect(await statusFor('evil.example')).toBe(403)
    expect(await statusFor('localhost:1')).toBe(200)
    expect(await statusFor('[::1]:8089')).toBe(200)
  })
})

/** Of a request to decode nothing with this `Host`, which fetch does not let one choose. */
function statusFor(host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { host, 'content-type': 'application/json' }
    request(`${server.url}/decode`, { method: 'POST', headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end('{"payloads":[]}')
  })
}

test('an address that others can reach needs a token, which each request must carry', async () => {
  const refused = await opsbook(['temporal', 'codec-server', '--listen', '0.0.0.0:0'])
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('OPSBOOK_CODEC_TOKEN')
  const token = randomBytes(16).toString('hex')
  const open = await startCodecServer({ OPSBOOK_CODEC_TOKEN: token }, [
    '--listen',
    '0.0.0.0:0',
    '--origin',
    'https://ui.example/',
  ])
  const ask = (headers: Record<string, string>, method = 'POST'): Promise<number> =>
    fetch(`${open.url}/decode`, {
      method,
      headers: { ...(method === 'POST' ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(method === 'POST' ? { body: '{"payloads":[]}' } : {}),
    }).then(({ status }) => status)
  expect(await ask({})).toBe(401)
  expect(await ask({ authorization: token })).toBe(401)
  expect(await ask({ authorization: `Bearer ${token}0` })).toBe(401)
  expect(await ask({ authorization: `Bearer ${token}` })).toBe(200)
  expect(await ask({ authorization: `Bearer ${token}`, origin: page })).toBe(403)
  expect(await ask({ authorization: `Bearer ${token}`, origin: 'https://ui.example' })).toBe(200)
  expect(await ask({ origin: 'https://ui.example' }, 'OPTIONS')).toBe(204)
  expect(await open.stop()).toBe(0)
})

test('its log has counts only', async () => {
  const one = await startCodecServer({ OPSBOOK_TEMPORAL_KEYS: ours })
  const [foreign] = await codecOf(theirs).encode([json(canary)])
  const [fine] = await codecOf(ours).encode([json(canary)])
  await fetch(`${one.url}/${canary}/decode`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(toBody([foreign, fine] as Payload[])),
  })
  await one.stop()
  const lines = one.log().trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: 'info', time: expect.any(String), payloads: 2, unreadable: 1, msg: 'decoded' },
  ])
})

test.each([
  [['--origin', 'https://ui.example/path'], {}, '--origin'],
  [['--origin', 'ui.example'], {}, '--origin'],
  [['--listen', '8089'], {}, '--listen'],
  [[], { OPSBOOK_CODEC_TOKEN: 'short' }, 'OPSBOOK_CODEC_TOKEN'],
])('wrong settings are refused: %j %j', async (words, env, named) => {
  const { code, stderr } = await opsbook(['temporal', 'codec-server', ...words], { env })
  expect([code, stderr]).toEqual([2, expect.stringContaining(named)])
})
