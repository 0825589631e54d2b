import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Payload } from '@temporalio/common'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from 'vitest'
import { createCodec } from '../../../src/engine/temporal/codec/create-codec.ts'
import { readPayloadKeys } from '../../../src/engine/temporal/codec/read-keys.ts'
import { sendRaw } from '../../security/support/send-raw.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const canary = 'canary-4711'
const ours = `ours:${randomBytes(32).toString('base64')}`
const theirs = `theirs:${randomBytes(32).toString('base64')}`
const page = 'http://localhost:8233'

/** The example `workers/codec-server.mjs`, with these settings. */
function launch(env: Readonly<Record<string, string>>): ChildProcess {
  const { PATH, HOME } = process.env
  return spawn(process.execPath, ['--import', 'tsx', 'workers/codec-server.mjs'], {
    cwd: root,
    env: { PATH, HOME, OPSBOOK_CODEC_PORT: '0', ...env },
  })
}

interface CodecServer {
  readonly url: string
  stop(): Promise<void>
}

async function start(env: Readonly<Record<string, string>>): Promise<CodecServer> {
  const child = launch(env)
  let errors = ''
  child.stderr?.on('data', (text) => {
    errors += text
  })
  const ended = once(child, 'close')
  const line = once(createInterface(child.stdout as NodeJS.ReadableStream as never), 'line')
  const [url] = await Promise.race([line, ended.then(() => Promise.reject(new Error(errors)))])
  return {
    // Where it listens on all addresses.
    url: String(url).replace('0.0.0.0', '127.0.0.1'),
    async stop() {
      child.kill()
      await ended
    },
  }
}

const json = (value: unknown): Payload => ({
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(JSON.stringify(value)),
})
const written = (keys: string, ...values: readonly unknown[]): Promise<Payload[]> =>
  createCodec({ keys: readPayloadKeys(keys), onUnreadable: 'throw' }).encode(values.map(json))
const base64 = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('base64')
const toBody = (payloads: readonly Payload[]) => ({
  payloads: payloads.map(({ metadata, data }) => ({
    metadata: Object.fromEntries(
      Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)]),
    ),
    data: base64(data),
  })),
})
const valuesIn = async (answer: Response): Promise<unknown[]> => {
  const { payloads } = (await answer.json()) as ReturnType<typeof toBody>
  return payloads.map(({ data }) => JSON.parse(Buffer.from(data, 'base64').toString()))
}
const post = (
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

describe('workers/codec-server.mjs', () => {
  let server: CodecServer
  beforeAll(async () => {
    server = await start({ OPSBOOK_TEMPORAL_KEYS: ours })
  })
  afterAll(() => server.stop())

  it.each(['/decode', '/default/decode', '/codec/v1/decode/', '//decode', '/decode?a=/encode'])(
    'decodes what workers wrote at %s',
    async (path) => {
      const long = { secret: canary, text: 'long '.repeat(1000) }
      const body = toBody(await written(ours, { secret: canary }, long, null))
      const answer = await post(server.url + path, body, { 'x-namespace': 'default' })
      expect(answer.status).toBe(200)
      expect(await valuesIn(answer)).toEqual([{ secret: canary }, long, null])
    },
  )

  it('encodes what it can decode', async () => {
    const encoded = await post(`${server.url}/encode`, toBody([json({ secret: canary })]))
    const body = (await encoded.json()) as ReturnType<typeof toBody>
    expect(Buffer.from(body.payloads[0]?.data ?? '', 'base64').toString('latin1')).not.toContain(canary)
    expect(await valuesIn(await post(`${server.url}/decode`, body))).toEqual([{ secret: canary }])
  })

  it('says of each payload that it cannot read why, and decodes the others', async () => {
    const [foreign] = await written(theirs, canary)
    const [damaged] = await written(ours, canary)
    damaged?.data?.reverse()
    const [fine] = await written(ours, 'fine')
    const answer = await post(`${server.url}/decode`, toBody([foreign, damaged, fine] as Payload[]))
    expect(await valuesIn(answer)).toEqual([
      { opsbookUnreadable: expect.stringContaining('the key theirs') },
      { opsbookUnreadable: expect.stringContaining('cannot be decrypted') },
      'fine',
    ])
  })

  it('unfolds no more than memory is for', async () => {
    const metadata = { encoding: Buffer.from('binary/opsbook'), 'opsbook-gzip': Buffer.from('1') }
    const data = gzipSync(Buffer.from(JSON.stringify('a'.repeat(40 * 1024 * 1024))))
    const one = toBody([{ metadata, data }])
    expect((await post(`${server.url}/decode`, one)).status).toBe(200)
    const four = toBody(Array(4).fill({ metadata, data }))
    expect((await post(`${server.url}/decode`, four)).status).toBe(413)
  })

  it.each([
    ['/decode', '{"payloads":[{"data":"canary', 400],
    ['/decode', { payloads: [{ data: 1, canary }] }, 400],
    ['/decode', { payloads: [{ metadata: { encoding: 1, canary } }] }, 400],
    ['/decode', [canary], 400],
    ['/decode', null, 400],
    ['/other', { payloads: [canary] }, 404],
  ])('refuses what it cannot use without quoting it: %s, case %#', async (path, body, status) => {
    const answer = await post(server.url + path, body)
    expect([answer.status, await answer.text()]).toEqual([status, expect.not.stringContaining('canary')])
  })

  it('refuses more than 8 MiB before it has read them', async () => {
    const headers = { 'content-type': 'application/json', 'content-length': String(9 * 1024 * 1024) }
    const begun = { method: 'POST', body: '{' }
    expect((await sendRaw(`${server.url}/decode`, headers, begun)).status).toBe(413)
  })

  it('takes JSON only, so that a browser asks first', async () => {
    const headers = { 'content-type': 'text/plain' }
    expect((await post(`${server.url}/decode`, '{"payloads":[]}', headers)).status).toBe(415)
  })

  it('lets pages of the web UI read payloads', async () => {
    const preflight = await fetch(`${server.url}/decode`, {
      method: 'OPTIONS',
      headers: { origin: page, 'access-control-request-private-network': 'true' },
    })
    expect(preflight.status).toBe(204)
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': page,
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'authorization, content-type, x-namespace',
      'access-control-allow-private-network': 'true',
      vary: 'Origin',
    })
    const answer = await post(`${server.url}/decode`, { payloads: [] }, { origin: page })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, page])
  })

  it.each(['http://evil.example', 'null', 'http://localhost:8234', `${page}.evil.example`])(
    'lets no page of %s read them',
    async (origin) => {
      for (const method of ['POST', 'OPTIONS']) {
        const { status, headers } = await fetch(`${server.url}/decode`, { method, headers: { origin } })
        expect([status, headers.get('access-control-allow-origin')]).toEqual([403, null])
      }
    },
  )

  it.each([
    ['evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['localhost:1', 200],
    ['[::1]:8089', 200],
  ])('asks for a name of this machine: %s', async (host, status) => {
    expect(await statusFor(server.url, host)).toBe(status)
  })
})

/** Of a request to decode nothing with this `Host`, which fetch does not let one choose. */
function statusFor(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { host, 'content-type': 'application/json' }
    request(`${url}/decode`, { method: 'POST', headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end('{"payloads":[]}')
  })
}

test.each([
  { OPSBOOK_CODEC_HOST: '0.0.0.0' },
  { OPSBOOK_CODEC_HOST: '::' },
  { OPSBOOK_CODEC_TOKEN: 'short' },
])('an address that others can reach needs a long token: %j', async (env) => {
  const child = launch(env)
  let errors = ''
  child.stderr?.on('data', (text) => {
    errors += text
  })
  const [code] = await once(child, 'close')
  expect([code, errors]).toEqual([2, expect.stringContaining('OPSBOOK_CODEC_TOKEN')])
})

test('with a token, each request must carry it, wherever it comes from', async () => {
  const token = randomBytes(16).toString('hex')
  const server = await start({
    OPSBOOK_CODEC_HOST: '0.0.0.0',
    OPSBOOK_CODEC_TOKEN: token,
    OPSBOOK_CODEC_ORIGINS: 'https://ui.example,https://other.example',
    OPSBOOK_TEMPORAL_KEYS: ours,
  })
  onTestFinished(() => server.stop())
  const body = toBody(await written(ours, canary))
  const ask = (headers: Readonly<Record<string, string>>): Promise<Response> =>
    post(`${server.url}/decode`, body, headers)
  for (const authorization of ['', token, `Bearer ${token}0`])
    expect((await ask({ authorization })).status).toBe(401)
  const authorization = `Bearer ${token}`
  expect(await valuesIn(await ask({ authorization }))).toEqual([canary])
  expect((await ask({ authorization, origin: page })).status).toBe(403)
  expect(await valuesIn(await ask({ authorization, origin: 'https://other.example' }))).toEqual([canary])
  const preflight = await fetch(`${server.url}/decode`, {
    method: 'OPTIONS',
    headers: { origin: 'https://ui.example' },
  })
  expect(preflight.status).toBe(204)
})
