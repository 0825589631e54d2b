import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { type Action, createActions, type JsonObject, type JsonValue } from 'opsbook'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startSockets, startStandIn } from '../api/stand-in.ts'
import { contextWith, newFolder, runnerOf } from './context-with.ts'

const http = createActions().find(({ name }) => name === 'core/http') as Action
const variables = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY']

beforeEach(() => {
  for (const name of variables) vi.stubEnv(name, undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

const { failureOf } = runnerOf(http)
const artifactsIn = (folder: string) => ({ folder, fileFor: async (name: string) => join(folder, name) })

describe('a request', () => {
  it('goes out as the arguments say', async () => {
    const server = await startStandIn((_, response) => {
      response.writeHead(201, { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r-1' })
      response.end('{"id":7,"big":12345678901234567890}')
    })
    const answer = await http.run(
      {
        method: 'POST',
        url: `${server.baseUrl}/a/b?c=d`,
        query: { tag: ['x y', 'z&'], all: true, limit: 10 },
        headers: { Accept: 'application/json', 'X-Count': 3 },
        'secret-headers': { Authorization: { secret: 'word-of-the-day', prefix: 'Bearer ' } },
        body: { text: 'Grüße' },
      },
      contextWith(),
    )
    expect(server.received).toMatchObject([
      {
        method: 'POST',
        url: '/a/b?c=d&tag=x%20y&tag=z%26&all=true&limit=10',
        body: '{"text":"Grüße"}',
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          authorization: 'Bearer word-of-the-day',
          'content-type': 'application/json',
          'user-agent': 'opsbook',
          'x-count': '3',
        },
      },
    ])
    expect(answer).toMatchObject({
      requestId: 'r-1',
      output: { status: 201, body: { id: 7, big: '12345678901234567890' } },
      warnings: ['in the answer, body.big is beyond 2^53 - 1 and is given as text'],
    })
    expect(answer.output).toHaveProperty(['headers', 'content-type'], 'application/json; charset=utf-8')
  })

  it('may last for longer than a timer of Node', async () => {
    const server = await startStandIn((_, response) => void response.end('ok'))
    const { output } = await http.run({ url: server.baseUrl }, contextWith({ timeoutMs: 25 * 86_400_000 }))
    expect(output).toMatchObject({ body: 'ok' })
  })

  it('is a GET without a body where nothing else is said', async () => {
    const server = await startStandIn((_, response) => void response.end('ok'))
    await http.run({ url: server.baseUrl }, contextWith())
    expect(server.received).toMatchObject([{ method: 'GET', url: '/', body: '' }])
    expect(server.received[0]?.headers).not.toHaveProperty('content-type')
  })

  it('sends a text as it is', async () => {
    const server = await startStandIn((_, response) => void response.end())
    const text = { method: 'PUT', url: server.baseUrl, body: 'a=1&b=2' }
    await http.run(text, contextWith())
    await http.run(
      { ...text, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
      contextWith(),
    )
    expect(server.received.map(({ body, headers }) => [body, headers['content-type']])).toEqual([
      ['a=1&b=2', 'text/plain; charset=utf-8'],
      ['a=1&b=2', 'application/x-www-form-urlencoded'],
    ])
  })

  it('that creates goes out on a fresh connection, others on one that is kept', async () => {
    const server = await startStandIn((_, response) => void response.end())
    const send = async (more: JsonObject): Promise<void> => {
      await http.run({ url: server.baseUrl, ...more }, contextWith())
      // The connection is free again once the event loop continues after the answer.
      await new Promise(setImmediate)
    }
    await send({})
    await send({})
    await send({ method: 'POST' })
    await send({ method: 'POST' })
    await send({ method: 'POST', safety: 'read' })
    await send({ safety: 'create' })
    expect(server.received.map(({ connection }) => connection)).toEqual([0, 0, 1, 2, 0, 3])
  })

  it('takes a proxy from the usual variables', async () => {
    vi.stubEnv('HTTP_PROXY', 'http://user:hidden-word@127.0.0.1:1')
    const error = await createActions()
      .find(({ name }) => name === 'core/http')
      ?.run({ url: 'http://127.0.0.1:2' }, contextWith())
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'ConnectionRefused', notSent: true })
    expect(inspect(error, { depth: 9 })).not.toContain('hidden-word')
  })
})

describe('the body of an answer', () => {
  interface BodyCase {
    readonly type?: string
    readonly bytes: string | Buffer
    readonly body: JsonValue
    readonly warning?: RegExp
  }
  const bodies: Readonly<Record<string, BodyCase>> = {
    JSON: { type: 'application/json', bytes: '[1, null]', body: [1, null] },
    'a kind of JSON': { type: 'application/problem+json; charset=utf-8', bytes: '{"a":1}', body: { a: 1 } },
    'JSON with a mark of UTF-8': { type: 'application/json', bytes: '\ufeff{"a":1}', body: { a: 1 } },
    'a text': { type: 'text/plain', bytes: '{"a":1}', body: '{"a":1}' },
    'lines of JSON': { type: 'application/x-ndjson', bytes: '{}\n{}\n', body: '{}\n{}\n' },
    'no type': { bytes: 'Grüße', body: 'Grüße' },
    'another encoding': {
      type: 'text/plain; charset=iso-8859-1',
      bytes: Buffer.from('Grüße', 'latin1'),
      body: 'Grüße',
    },
    nothing: { type: 'application/json', bytes: '', body: null },
    'JSON that is none': {
      type: 'application/json',
      bytes: '{"a":',
      body: '{"a":',
      warning: /says that it is JSON and is not/,
    },
    bytes: {
      type: 'image/png',
      bytes: Buffer.from([0x89, 0x50, 0xff]),
      body: 'iVD/',
      warning: /is no text; body is its bytes/,
    },
    'an unknown encoding': {
      type: 'text/plain; charset=klingon',
      bytes: 'abc',
      body: 'YWJj',
      warning: /is no text/,
    },
  }
  it.each(Object.entries(bodies))('%s', async (_, { type, bytes, body, warning }) => {
    const server = await startStandIn((_, response) => {
      response.writeHead(200, type === undefined ? {} : { 'content-type': type })
      response.end(bytes)
    })
    const { output, warnings } = await http.run({ url: server.baseUrl }, contextWith())
    expect(output).toMatchObject({ status: 200, body })
    expect(warnings).toEqual(warning === undefined ? [] : [expect.stringMatching(warning)])
  })

  const content = '{"a":"ü"}'
  const packings: readonly (readonly [encoding: string | readonly string[], bytes: Buffer])[] = [
    ['gzip', gzipSync(content)],
    ['x-gzip', gzipSync(content)],
    ['GZIP', gzipSync(content)],
    ['br', brotliCompressSync(content)],
    ['deflate', deflateSync(content)],
    ['deflate', deflateRawSync(content)],
    ['identity', Buffer.from(content)],
    ['identity, gzip', gzipSync(content)],
    ['gzip, br', brotliCompressSync(gzipSync(content))],
    [['gzip', 'gzip'], gzipSync(gzipSync(content))],
  ]
  it.each(packings)('that was packed as %s is unpacked', async (encoding, bytes) => {
    const headers = { 'content-encoding': encoding as string, 'content-type': 'application/json' }
    const server = await startStandIn((_, response) => void response.writeHead(200, headers).end(bytes))
    const { output, warnings } = await http.run({ url: server.baseUrl }, contextWith())
    expect(output).toMatchObject({ body: { a: 'ü' } })
    expect(output).not.toHaveProperty(['headers', 'content-encoding'])
    expect(warnings).toEqual([])
    const folder = newFolder()
    const saved = await http.run(
      { url: server.baseUrl },
      contextWith({ artifacts: artifactsIn(folder), saveAs: 'answer.json' }),
    )
    expect(saved.output).toMatchObject({ bytes: 10 })
    expect(await readFile(join(folder, 'answer.json'), 'utf8')).toBe(content)
  })

  const long = gzipSync(JSON.stringify([1, 2, 3, 'x'.repeat(3000)]))
  const unpackable: readonly (readonly [about: string, encoding: string, bytes: Buffer | string])[] = [
    ['is not packed', 'gzip', 'zip'],
    ['is not packed', 'deflate', content],
    ['ends too early', 'gzip', long.subarray(0, -20)],
    ['ends too early', 'br', brotliCompressSync('x'.repeat(3000)).subarray(0, -2)],
    ['has something behind it', 'gzip', Buffer.concat([long, Buffer.from('junk')])],
    ['is packed in a way that is not known', 'zstd', 'zip'],
    ['is packed in a way that is not known', 'gzip, zstd', 'zip'],
    ['is packed many times', 'gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(content)))],
  ]
  it.each(unpackable)('that %s (%s) fails, with a file and without', async (_, encoding, bytes) => {
    const headers = { 'content-encoding': encoding, 'content-type': 'application/json' }
    const server = await startStandIn((_, response) => void response.writeHead(200, headers).end(bytes))
    const failure = { code: 'HttpFailed', message: expect.stringContaining('cannot be unpacked') }
    expect(await failureOf({ url: server.baseUrl })).toMatchObject(failure)
    const folder = newFolder()
    const context = { artifacts: artifactsIn(folder), saveAs: 'answer.json' }
    expect(await failureOf({ url: server.baseUrl }, context)).toMatchObject(failure)
    expect(await readdir(folder)).toEqual([])
  })

  it('is too large where it would be once it is unpacked', async () => {
    const bytes = gzipSync(Buffer.alloc(300 * 1024 * 1024))
    const server = await startStandIn((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes)
    })
    expect(await failureOf({ url: server.baseUrl })).toMatchObject({ code: 'OutputTooLarge' })
  })

  it('is too large where it is before it is unpacked, also where nothing can be packed smaller', async () => {
    const bytes = gzipSync(randomBytes(1_200_000))
    const server = await startStandIn((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes)
    })
    expect(await failureOf({ url: server.baseUrl })).toMatchObject({ code: 'OutputTooLarge' })
  })

  it('that is empty is an empty file, whatever it says of packing', async () => {
    const server = await startStandIn((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end()
    })
    const context = { artifacts: artifactsIn(newFolder()), saveAs: 'answer.json' }
    const { output } = await http.run({ url: server.baseUrl }, contextWith(context))
    expect(output).toMatchObject({ bytes: 0 })
  })

  it('has each of its cookies on a line', async () => {
    const server = await startStandIn((_, response) => {
      response
        .writeHead(200, { 'set-cookie': ['a=1; Expires=Wed, 21 Oct 2026', 'b=2'], 'x-of': ['a', 'b'] })
        .end()
    })
    const { output } = await http.run({ url: server.baseUrl }, contextWith())
    expect(output).toMatchObject({
      headers: { 'set-cookie': 'a=1; Expires=Wed, 21 Oct 2026\nb=2', 'x-of': 'a, b' },
    })
  })

  it('is not there for HEAD', async () => {
    const server = await startStandIn((_, response) => {
      response.writeHead(200, { 'content-length': '900000000', etag: '"x"' }).end()
    })
    const { output } = await http.run({ url: server.baseUrl, method: 'HEAD' }, contextWith())
    expect(output).toMatchObject({ body: null, headers: { etag: '"x"' } })
  })
})

describe('a status', () => {
  const failures: readonly (readonly [status: number, ok: readonly number[] | undefined, code: string])[] = [
    [400, undefined, 'HttpRefused'],
    [401, undefined, 'HttpRefused'],
    [404, [200], 'HttpRefused'],
    [408, undefined, 'HttpFailed'],
    [429, undefined, 'RequestTooFrequently'],
    [500, undefined, 'HttpFailed'],
    [503, undefined, 'HttpFailed'],
    [202, [200], 'HttpFailed'],
    [302, undefined, 'RedirectRefused'],
    [304, [200], 'RedirectRefused'],
  ]
  it.each(failures)('%s with ok: %j is %s', async (status, ok, code) => {
    const server = await startStandIn((_, response) => {
      response.writeHead(status, { location: 'https://other.example.com/secret-path', 'retry-after': '7' })
      response.end()
    })
    const error = await failureOf({ url: server.baseUrl, ...(ok ? { ok } : {}) })
    expect(error).toMatchObject({ code, notSent: false, retryAfterMs: 7000 })
    expect(error.message).toContain(`HTTP ${status}`)
    expect(error.message).not.toContain('secret-path')
  })

  it('that leads nowhere is no redirect', async () => {
    const server = await startStandIn((_, response) => void response.writeHead(304).end())
    expect(await failureOf({ url: server.baseUrl })).toMatchObject({ code: 'HttpFailed' })
  })

  it.each([200, 204, 299, 404, 302])('%s is a success where ok has it', async (status) => {
    const server = await startStandIn((_, response) => void response.writeHead(status).end())
    const ok = status < 300 ? {} : { ok: [404, 302] }
    const { output } = await http.run({ url: server.baseUrl, ...ok }, contextWith())
    expect(output).toMatchObject({ status, body: null })
  })

  const messages: readonly (readonly [type: string, body: string, said: string])[] = [
    ['application/json', '{"error":{"message":"no such ticket"}}', 'HTTP 404: no such ticket ('],
    ['application/problem+json', '{"title":"Gone","detail":"it was closed"}', 'HTTP 404: it was closed ('],
    ['text/plain', ' not here\n', 'HTTP 404: not here ('],
    ['text/html', '<html>no</html>', 'HTTP 404 ('],
    ['application/json', '{"code":17}', 'HTTP 404: {"code":17} ('],
    ['application/json', '{"mess', 'HTTP 404 ('],
    ['text/plain', 'x'.repeat(5000), `HTTP 404: ${'x'.repeat(300)}… (`],
  ]
  it.each(messages)('comes with what the server says: %s %s', async (type, body, said) => {
    const server = await startStandIn((_, response) => {
      response.writeHead(404, { 'content-type': type }).end(body)
    })
    expect((await failureOf({ url: server.baseUrl })).message).toMatch(
      new RegExp(`^${said.replace('(', '\\(')}`),
    )
  })
})

describe('the details of a failed answer', () => {
  const secret = 'canary-5c1f77'
  const failWith = async (body: string | Buffer, headers: Record<string, string> = {}) => {
    const server = await startStandIn((_, response) => void response.writeHead(500, headers).end(body))
    return await failureOf({
      method: 'POST',
      url: `${server.baseUrl}/restart/down-01?token=x`,
      'secret-headers': { 'X-Key': { secret } },
    })
  }

  it('name the request, the status, headers of use, and the body', async () => {
    const { details } = await failWith('{"e":"cannot"}', {
      'content-type': 'application/json',
      'set-cookie': 'session=1',
      'x-ratelimit-remaining': '0',
      'retry-after': '7',
    })
    expect(details).toEqual({
      method: 'POST',
      path: '/restart/down-01',
      status: 500,
      headers: expect.objectContaining({
        'content-type': 'application/json',
        'retry-after': '7',
        'x-ratelimit-remaining': '0',
      }),
      body_bytes: 14,
      body: '{"e":"cannot"}',
    })
    expect(JSON.stringify(details)).not.toMatch(/token|cookie/)
  })

  it('hold the first 4 KiB of a long body, and no part of a secret', async () => {
    const { details } = await failWith(`${'x'.repeat(4090)}${secret}${'y'.repeat(9000)}`)
    expect(details).toMatchObject({
      body_bytes: 4090 + secret.length + 9000,
      body: `${'x'.repeat(4090)}***yyy`,
    })
  })

  it('are unpacked', async () => {
    const packed = gzipSync(JSON.stringify({ error: 'no disk left' }))
    const { details, message } = await failWith(packed, { 'content-encoding': 'gzip' })
    expect(details).toMatchObject({ body: '{"error":"no disk left"}' })
    expect(message).toContain('no disk left')
  })

  it('are without a body where it is packed in another way or empty', async () => {
    expect((await failWith('zip', { 'content-encoding': 'zstd' })).details).not.toHaveProperty('body')
    expect((await failWith('')).details).not.toHaveProperty('body')
  })
})

describe('before anything is sent', () => {
  const post = { method: 'POST' }

  it('a refused connection proves that nothing was done', async () => {
    const error = await failureOf({ ...post, url: 'http://127.0.0.1:1' })
    expect(error).toMatchObject({ code: 'ConnectionRefused', notSent: true })
  })

  it('a signal does', async () => {
    const server = await startStandIn((_, response) => void response.end())
    const stop = new AbortController()
    stop.abort()
    const error = await failureOf({ ...post, url: server.baseUrl }, { signalBeforeSending: stop.signal })
    expect(error).toMatchObject({ code: 'Cancelled', notSent: true })
    expect(server.received).toHaveLength(0)
  })
})

describe('after it was sent', () => {
  const post = { method: 'POST' }

  it('a connection that breaks leaves open what was done', async () => {
    const url = await startSockets((socket) => socket.once('data', () => socket.destroy()))
    expect(await failureOf({ ...post, url })).toMatchObject({ code: 'ConnectionLost', notSent: false })
  })

  it('no answer in time does', async () => {
    const url = await startSockets(() => {})
    const error = await failureOf({ ...post, url }, { timeoutMs: 100 })
    expect(error).toMatchObject({ code: 'AttemptTimeout', notSent: false })
  })

  it('an answer that is not HTTP does', async () => {
    const url = await startSockets((socket) => socket.once('data', () => socket.end('SSH-2.0-x\r\n\r\n')))
    expect(await failureOf({ ...post, url })).toMatchObject({ code: 'ForeignAnswer', notSent: false })
  })

  it('an answer that is too large is not read to its end', async () => {
    const chunk = Buffer.alloc(1024 * 1024)
    const server = await startStandIn((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    })
    expect(await failureOf({ url: server.baseUrl })).toMatchObject({ code: 'OutputTooLarge' })
  })
})

const wrong: readonly (readonly [change: JsonObject, path: string])[] = [
  [{ url: '/a' }, 'url'],
  [{ url: 'http:a' }, 'url'],
  [{ url: 'https://me@a.example.com' }, 'url'],
  [{ method: 'TRACE' }, 'method'],
  [{ body: 1 }, 'body'],
  [{ method: 'HEAD', body: '' }, 'body'],
  [{ headers: { 'Content-Length': 3 } }, 'headers.Content-Length'],
  [{ headers: { 'a:b': 'c' } }, 'headers["a:b"]'],
  [{ headers: { a: 'b\r\nc: d' } }, 'headers.a'],
  [{ headers: { a: '日' } }, 'headers.a'],
  [{ headers: { a: 'b', A: 'c' } }, 'headers.A'],
  [{ headers: { a: 'b' }, 'secret-headers': { A: { secret: 'c' } } }, 'secret-headers.A'],
  [{ 'secret-headers': { A: { secret: 'c\nd' } } }, 'secret-headers.A.secret'],
  [{ 'secret-headers': { A: { prefix: 'c' } } }, 'secret-headers.A.secret'],
  [{ query: { a: { secret: 'word', b: 1 } } }, 'query.a.b'],
  [{ ok: [99] }, 'ok[0]'],
  [{ timeout: 3 }, 'timeout'],
]
it.each(wrong)('%j is refused at %s', (change, path) => {
  const problems = http.checkInput({ url: 'https://a.example.com/', ...change })
  expect(problems.map((problem) => problem.path)).toEqual([path])
  expect(JSON.stringify(problems)).not.toContain('c\\nd')
})
