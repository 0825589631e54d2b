import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { inspect } from 'node:util'
import {
  type Action,
  type ActionContext,
  createActions,
  createHttpConnection,
  type HttpConnectionOptions,
  type JsonObject,
  RunbookError,
} from 'opsbook'
import { createRateBudget } from 'opsbook/api'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sign } from '../../src/actions/http/connection/aws.ts'
import { selfSigned } from '../api/self-signed.ts'
import { type Received, startStandIn } from '../api/stand-in.ts'
import { contextWith } from './context-with.ts'

const http = createActions().find(({ name }) => name === 'core/http') as Action

/** One request over a connection with these options. */
async function openConnection(options: Omit<HttpConnectionOptions, 'name'>) {
  const connection = await createHttpConnection({ name: 'test', ...options })
  onTestFinished(() => connection.close())
  const hidden: string[] = []
  const run = (input: JsonObject, changes: Partial<ActionContext> = {}) =>
    http.run(
      input,
      contextWith({ connectHttp: async () => connection, hide: (one) => void hidden.push(one), ...changes }),
    )
  return { connection, hidden, run }
}

async function failureOf(running: Promise<unknown>): Promise<RunbookError> {
  const error: unknown = await running.catch((thrown: unknown) => thrown)
  if (RunbookError.is(error)) return error
  throw new Error(`no failure: ${inspect(error)}`)
}

const json = { 'content-type': 'application/json' }

describe('the address', () => {
  it('takes path, query and headers of the step', async () => {
    const server = await startStandIn((_, response) => void response.end('ok'))
    const { run } = await openConnection({
      baseUrl: `${server.baseUrl}/api/`,
      headers: { Accept: 'text/a', 'X-Own': 'a' },
    })
    await run({
      path: '/items/a%2Fb',
      query: { a: null, b: [1, null, 'x y'] },
      headers: { accept: 'text/b' },
    })
    await run({})
    expect(server.received).toMatchObject([
      { url: '/api/items/a%2Fb?b=1&b=x%20y', headers: { accept: 'text/b', 'x-own': 'a' } },
      { url: '/api/' },
    ])
  })

  it('that is a secret is shown by its origin alone, and its query stays', async () => {
    const server = await startStandIn(({ url }, response) => {
      response.writeHead(500, json)
      response.end(JSON.stringify({ message: `cannot POST ${url}` }))
    })
    const { connection, run } = await openConnection({
      baseUrl: `${server.baseUrl}/services/T0123/secret-part-of-it?sig=signature-77`,
      isSecret: true,
    })
    const error = await failureOf(run({ method: 'POST', safety: 'read', query: { a: 1 } }))
    expect(server.received).toMatchObject([{ url: '/services/T0123/secret-part-of-it?sig=signature-77&a=1' }])
    expect(JSON.stringify([error.message, error.details])).not.toMatch(/T0123|secret-part|signature-77/)
    expect(error.details).toMatchObject({ path: '' })
    expect(connection.secrets).toContain('signature-77')
  })

  it.each([
    ['ftp://a.example.com', false, 'is not an http or https address'],
    ['https://me:pass@a.example.com', true, 'must not hold a user name or password: give them under auth'],
    ['https://a.example.com/?key=1', false, 'must end before "?"'],
    ['https://a.example.com/#a', true, 'must end before "#"'],
  ])('%s is refused', async (baseUrl, isSecret, message) => {
    const error = await failureOf(createHttpConnection({ name: 'test', baseUrl, isSecret }))
    expect(error).toMatchObject({ code: 'InvalidInput', notSent: true })
    expect(error.message).toContain(message)
  })

  it('obeys the rules for addresses', async () => {
    const error = await failureOf(
      createHttpConnection({ name: 'test', baseUrl: 'http://10.0.0.1/', rules: { denyPrivate: true } }),
    )
    expect(error).toMatchObject({ code: 'AddressNotAllowed', notSent: true })
  })

  it('is not given twice, and not left out', async () => {
    const { run } = await openConnection({ baseUrl: 'https://a.example.com' })
    expect(await failureOf(run({ url: 'https://b.example.com/' }))).toMatchObject({ code: 'InvalidInput' })
    expect(await failureOf(run({}, { connectHttp: undefined }))).toMatchObject({ code: 'InvalidInput' })
  })
})

describe('what a refusal says', () => {
  const errors = { code: 'error.code', message: 'error.text' }
  it.each([
    [
      404,
      { error: { code: 'ResourceNotFound', text: 'no such host' } },
      'ResourceNotFound',
      'HTTP 404: no such host',
    ],
    [423, { error: { code: 'RequestLocked' } }, 'RequestLocked', 'HTTP 423'],
    [400, { error: { code: 'not_found', text: 'no' } }, 'HttpRefused', 'HTTP 400: no'],
    [400, { error: { code: 'InternalError' } }, 'HttpRefused', 'HTTP 400'],
    [400, { error: { code: 'Cancelled' } }, 'HttpRefused', 'HTTP 400'],
    [400, { error: { code: 'RequestTooFrequently' } }, 'HttpRefused', 'HTTP 400'],
    [400, { error: { code: '__proto__' } }, 'HttpRefused', 'HTTP 400'],
    [400, { error: { code: 7, text: ['no'] } }, 'HttpRefused', 'HTTP 400'],
    [400, { error: 'ResourceNotFound' }, 'HttpRefused', 'HTTP 400: ResourceNotFound'],
    [500, { error: { code: 'ResourceNotFound', text: 'no' } }, 'HttpFailed', 'HTTP 500: no'],
    [408, { error: { code: 'ResourceNotFound' } }, 'HttpFailed', 'HTTP 408'],
    [429, { error: { code: 'ResourceNotFound' } }, 'RequestTooFrequently', 'HTTP 429'],
  ])('%i with %j is %s', async (status, body, code, message) => {
    const server = await startStandIn((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    const { run } = await openConnection({ baseUrl: server.baseUrl, errors })
    const error = await failureOf(run({ path: '/a' }))
    expect(error.code).toBe(code)
    expect(error.message.startsWith(message)).toBe(true)
  })
})

describe('the log-in', () => {
  it.each([
    [{ type: 'bearer', token: 'word-of-the-day' }, 'authorization', 'Bearer word-of-the-day'],
    [{ type: 'basic', user: 'ops', password: 'p:w é' }, 'authorization', `Basic ${btoa('ops:p:w Ã©')}`],
    [{ type: 'header', name: 'X-Key', value: 'word-of-the-day' }, 'x-key', 'word-of-the-day'],
  ] as const)('%o is sent', async (auth, header, value) => {
    const server = await startStandIn((_, response) => void response.end('ok'))
    const { run } = await openConnection({ baseUrl: server.baseUrl, auth })
    await run({ path: '/a' })
    expect(server.received[0]?.headers[header]).toBe(value)
  })

  it('stands in the query of each address, and in no error', async () => {
    const server = await startStandIn((_, response) => {
      response
        .writeHead(403, { 'content-type': 'application/json' })
        .end('{"error":"wôrd of/the day is wrong"}')
    })
    const value = 'wôrd of/the day'
    const auth = { type: 'query', name: 'app key', value } as const
    const { run, hidden } = await openConnection({ baseUrl: server.baseUrl, auth })
    const errors = [
      await failureOf(run({ path: '/a' })),
      await failureOf(run({ path: '/a', query: { b: 1, 'app key': 'mine' } })),
      await failureOf(run({ path: '/a', method: 'POST', body: 'x' })),
    ]
    const written = 'app%20key=w%C3%B4rd%20of%2Fthe%20day'
    expect(server.received.map(({ url }) => url)).toEqual([
      `/a?${written}`,
      `/a?b=1&${written}`,
      `/a?${written}`,
    ])
    expect(hidden).toContain(value)
    for (const error of errors) {
      expect(inspect(error, { depth: 9 })).not.toMatch(/the.?day|the%20day/)
      expect(error).toMatchObject({ code: 'HttpRefused', details: { path: '/a' } })
    }
  })

  it('takes the place of no parameter but that of its name', async () => {
    const server = await startStandIn((_, response) => void response.end('ok'))
    const auth = { type: 'query', name: 'key', value: 'word-of-the-day' } as const
    const { run } = await openConnection({ baseUrl: `${server.baseUrl}/y?z=1?2&w=3`, isSecret: true, auth })
    await run({ query: { constructor: 'a', toString: 'b', key: 'mine' } })
    expect(server.received[0]?.url).toBe('/y?z=1?2&w=3&constructor=a&toString=b&key=word-of-the-day')
  })

  it('reads a token that is replaced again after a 401, and sends once more', async () => {
    let token = 'token-number-1'
    const server = await startStandIn(({ headers }, response) => {
      response.statusCode = headers.authorization === 'Bearer token-number-2' ? 200 : 401
      response.end('{}')
    })
    const { run, hidden } = await openConnection({
      baseUrl: server.baseUrl,
      auth: { type: 'bearer', token: async () => token },
    })
    expect(await failureOf(run({ path: '/a' }))).toMatchObject({ code: 'HttpRefused' })
    expect(server.received).toHaveLength(2)
    token = 'token-number-2'
    let sendings = 0
    const beforeSending = async (): Promise<void> => void sendings++
    await run({ path: '/a', method: 'POST', body: 'x' }, { beforeSending })
    expect(server.received).toHaveLength(4)
    expect(sendings).toBe(2)
    expect(new Set(hidden)).toEqual(new Set(['token-number-1', 'token-number-2']))
  })

  it('is refused where a header cannot hold it', async () => {
    const auth = { type: 'header', name: 'Host', value: 'a' } as const
    const error = await failureOf(
      createHttpConnection({ name: 'test', baseUrl: 'https://a.example.com', auth }),
    )
    expect(error.message).toBe(
      'the connection "test": the header of auth is a header that is set when the request is sent',
    )
  })
})

describe('OAuth2', () => {
  const oauth2 = (origin: string) =>
    ({
      type: 'oauth2',
      tokenUrl: `${origin}/token`,
      clientId: 'me',
      clientSecret: 'secret-of-me',
      scope: 'a b',
      params: { audience: 'x' },
    }) as const

  /** A server that gives tokens, and takes some of them. */
  async function startTokenServer(
    answer: (count: number) => [status: number, body: object],
    takes: (token: string) => boolean = () => true,
  ) {
    let count = 0
    const isToken = ({ url }: Received): boolean => url === '/token'
    const server = await startStandIn((one, response) => {
      const [status, body] = isToken(one)
        ? answer(++count)
        : [takes(one.headers.authorization ?? '') ? 200 : 401, {}]
      response.writeHead(status, json)
      response.end(JSON.stringify(body))
    })
    return {
      ...server,
      tokens: () => server.received.filter(isToken),
      calls: () => server.received.filter((one) => !isToken(one)).map(({ headers }) => headers.authorization),
    }
  }

  it('fetches one token for calls at the same time, and keeps it', async () => {
    const server = await startTokenServer((count) => [
      200,
      { access_token: `token-number-${count}`, expires_in: 3600 },
    ])
    const { run, hidden } = await openConnection({ baseUrl: server.baseUrl, auth: oauth2(server.baseUrl) })
    await Promise.all([run({ path: '/a' }), run({ path: '/b' }), run({ path: '/c' })])
    await run({ path: '/d' })
    expect(server.tokens()).toMatchObject([
      {
        method: 'POST',
        body: 'grant_type=client_credentials&scope=a+b&audience=x',
        headers: { authorization: `Basic ${btoa('me:secret-of-me')}` },
      },
    ])
    expect(server.calls()).toHaveLength(4)
    expect(hidden).toContain('token-number-1')
  })

  it('sends the credentials in the form where that is wanted', async () => {
    const server = await startTokenServer(() => [200, { access_token: 'token-number-1' }])
    const auth = { ...oauth2(server.baseUrl), credentialsIn: 'form' } as const
    const { run } = await openConnection({ baseUrl: server.baseUrl, auth })
    await run({ path: '/a' })
    expect(server.tokens()[0]?.body).toContain('client_id=me&client_secret=secret-of-me')
    expect(server.tokens()[0]?.headers).not.toHaveProperty('authorization')
  })

  it('fetches a new token once after a 401, and sends the request once more', async () => {
    let taken = 'Bearer token-number-2'
    const server = await startTokenServer(
      (count) => [200, { access_token: `token-number-${count}` }],
      (token) => token === taken,
    )
    const { run } = await openConnection({ baseUrl: server.baseUrl, auth: oauth2(server.baseUrl) })
    await run({ path: '/a', method: 'POST' })
    expect(server.calls()).toEqual(['Bearer token-number-1', 'Bearer token-number-2'])
    taken = 'none'
    expect(await failureOf(run({ path: '/a' }))).toMatchObject({ code: 'HttpRefused' })
    expect(server.calls()).toHaveLength(4)
    expect(server.tokens()).toHaveLength(3)
  })

  it('fetches the next token once the first has expired', async () => {
    const server = await startTokenServer((count) => [
      200,
      { access_token: `token-number-${count}`, expires_in: 0.0001 },
    ])
    const { run } = await openConnection({ baseUrl: server.baseUrl, auth: oauth2(server.baseUrl) })
    await run({ path: '/a' })
    await run({ path: '/a' })
    expect(server.calls()).toEqual(['Bearer token-number-1', 'Bearer token-number-2'])
  })

  it.each([
    [400, { error: 'invalid_client', error_description: 'no secret-of-me' }, 'LoginRefused'],
    [200, { token: 'a' }, 'LoginRefused'],
    [503, {}, 'HttpFailed'],
    [429, {}, 'RequestTooFrequently'],
  ])('an answer %s %o sends nothing else', async (status, body, code) => {
    const server = await startTokenServer(() => [status, body])
    const { run } = await openConnection({ baseUrl: server.baseUrl, auth: oauth2(server.baseUrl) })
    const error = await failureOf(run({ path: '/a', method: 'POST' }))
    expect(error).toMatchObject({ code, notSent: true })
    expect(error.message).not.toContain('secret-of-me')
    expect(server.calls()).toEqual([])
  })
})

describe('the signature of AWS', () => {
  // From the test suite that AWS publishes for its signature version 4.
  const keys = {
    type: 'aws',
    service: 'service',
    region: 'us-east-1',
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  } as const

  it.each([
    ['GET', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    [
      'GET',
      '/?Param2=value2&Param1=value1',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    ['POST', '/', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ])('of %s %s is the published one', async (method, path, signature) => {
    const url = `https://example.amazonaws.com${path}`
    const headers = await sign(keys, { method, url, headers: {}, body: undefined }, '20150830T123600Z')
    expect(headers).toEqual({
      authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
      'x-amz-date': '20150830T123600Z',
    })
  })

  it('is on each request, and the secret key is not', async () => {
    const server = await startStandIn((_, response) => void response.end('ok'))
    const auth = { ...keys, sessionToken: 'token-of-the-session' }
    const { run, connection } = await openConnection({ baseUrl: server.baseUrl, auth })
    await run({ path: '/', method: 'POST', safety: 'read', form: { Action: 'DescribeInstances' } })
    expect(server.received[0]?.headers).toMatchObject({
      authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/),
      'x-amz-security-token': 'token-of-the-session',
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(JSON.stringify(server.received)).not.toContain(keys.secretAccessKey)
    expect(connection.secrets).toEqual([keys.secretAccessKey, 'token-of-the-session'])
  })
})

describe('TLS', () => {
  it('trusts the authority of the connection, and shows the certificate of the client', async () => {
    const peers: boolean[] = []
    const server = createHttpsServer(
      { ...selfSigned, ca: selfSigned.cert, requestCert: true },
      (request, response) => {
        peers.push((request.socket as TLSSocket).authorized)
        response.end('ok')
      },
    ).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { cert, key } = selfSigned
    const trusting = await openConnection({ baseUrl, tls: { ca: cert, cert, key } })
    await trusting.run({ path: '/a' })
    expect(peers).toEqual([true])
    const other = await openConnection({ baseUrl })
    expect(await failureOf(other.run({ path: '/a' }))).toMatchObject({ code: 'TlsFailed', notSent: true })
  })
})

describe('certificates that are none', () => {
  const { cert, key } = selfSigned
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const otherKey = other.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const broken = cert.replace(/\n[^\n]{20}/, '\nnothing')
  it.each([
    ['no certificate at all', { ca: 'hello' }, 'tls.ca holds no certificate in PEM'],
    ['a broken one', { ca: cert + broken }, 'tls.ca holds no certificate in PEM'],
    ['a key in place of one', { cert: key, key }, 'tls.cert holds no certificate in PEM'],
    ['a certificate in place of the key', { cert, key: cert }, 'tls.key holds no private key in PEM'],
    ['the key of another one', { cert, key: otherKey }, 'tls.key does not belong to tls.cert'],
  ])('%s are refused when the connection is opened', async (_, tls, message) => {
    const error = await failureOf(
      createHttpConnection({ name: 'test', baseUrl: 'https://a.example.com', tls }),
    )
    expect(error).toMatchObject({ code: 'InvalidInput', notSent: true })
    expect(error.message).toContain(`the connection "test": ${message}`)
  })

  it('a server without TLS is said to be one', async () => {
    const server = await startStandIn((_, response) => void response.end('ok'))
    const { run } = await openConnection({ baseUrl: server.baseUrl.replace('http:', 'https:') })
    const error = await failureOf(run({ path: '/a' }))
    expect(error).toMatchObject({ code: 'TlsFailed', notSent: true })
    expect(error.message).toMatch(/: the server does not speak TLS on this port$/)
  })
})

describe('limits', () => {
  it('hold for all requests over the connection', async () => {
    const server = await startStandIn((_, response) => void response.end('ok'))
    const { run } = await openConnection({
      baseUrl: server.baseUrl,
      limits: { perSecond: 2 },
      budget: createRateBudget({ marginMs: 0 }),
    })
    const waits: string[] = []
    const changes = { onWait: ({ reason }: { reason: string }) => void waits.push(reason) }
    await Promise.all([1, 2, 3].map((item) => run({ path: `/${item}` }, changes)))
    const [first, , third] = server.received.map(({ arrivedAt }) => arrivedAt)
    expect((third ?? 0) - (first ?? 0)).toBeGreaterThan(900)
    expect(waits).toContain('budget')
  })
})

describe('bodies', () => {
  it('sends a form, and a file of the run', async () => {
    const server = await startStandIn((_, response) => void response.end('ok'))
    const folder = await mkdtemp(join(tmpdir(), 'opsbook-body-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await writeFile(join(folder, 'a.bin'), Buffer.from([0, 255, 1]))
    await symlink('/etc/hostname', join(folder, 'link'))
    if (process.platform !== 'win32') execFileSync('mkfifo', [join(folder, 'pipe')])
    const { run } = await openConnection({ baseUrl: server.baseUrl })
    const artifacts = { folder, fileFor: async (name: string) => name }
    const form = { a: ['x y', '&'], b: null, key: { secret: 'a=b' } }
    await run({ path: '/form', method: 'POST', form })
    await run({ path: '/file', method: 'PUT', 'body-file': 'a.bin' }, { artifacts })
    expect(server.received).toMatchObject([
      { body: 'a=x+y&a=%26&key=a%3Db', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      { headers: { 'content-type': 'application/octet-stream', 'content-length': '3' } },
    ])
    for (const name of ['../a', '/etc/hostname', 'link', 'none', 'pipe']) {
      const error = await failureOf(run({ path: '/file', method: 'PUT', 'body-file': name }, { artifacts }))
      expect(error).toMatchObject({ code: 'InvalidInput', notSent: true })
    }
    expect(server.received).toHaveLength(2)
  })
})
