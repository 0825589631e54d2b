import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { RunbookError } from '../../../src/core/run-error.ts'
import type { Hook } from '../../../src/triggers/webhooks/read-delivery.ts'
import { openSocket, type SignOptions, secret, serveHooks, signed, signedHook } from './serve-hooks.ts'

interface Bad {
  readonly about: string
  readonly status: number
  readonly path?: string
  readonly method?: string
  readonly body?: string | Uint8Array
  readonly size?: number
  readonly opened?: number
  readonly closed?: number
  readonly minutes?: number
  readonly sign?: SignOptions
  readonly headers?: Readonly<Record<string, string | null>>
}

const minutes = (count: number): number => Math.floor(Date.now() / 1000) - count * 60
const otherKey = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const file = new URL('../../cases/triggers/bad-deliveries.yaml', import.meta.url)
const bad = parse(readFileSync(file, 'utf8'), { customTags: ['binary'] }) as readonly Bad[]

function bodyOf({ body = '{"a":1}', size, opened, closed = 0 }: Bad): Buffer {
  if (size !== undefined) return Buffer.from(JSON.stringify('x'.repeat(size - 2)))
  if (opened !== undefined) return Buffer.from('['.repeat(opened) + ']'.repeat(closed))
  return Buffer.from(body)
}

describe('a refused delivery starts nothing, and no message about it contains a secret', () => {
  it.each(bad)('$about', async (one) => {
    const { status, path = '/hooks/signed', method = 'POST', minutes: age = 0, sign, headers = {} } = one
    const hooks = await serveHooks([signedHook])
    const body = bodyOf(one)
    const all = Object.entries({ ...signed(body, { timestamp: minutes(age), ...sign }), ...headers })
    const given = Object.fromEntries(all.filter((pair): pair is [string, string] => pair[1] !== null))
    // Not by fetch, which adds a content type of its own, and sees no answer where the server has hung up on the rest.
    const answer = await send(hooks.port, { method, path, headers: given, body })
    expect(answer.status).toBe(status)
    expect(hooks.evaluations).toEqual([])
    expect(hooks.answers).toMatchObject([{ status }])
    const told = JSON.stringify(hooks.answers) + answer.text
    for (const hidden of [secret, secret.slice(6), given['webhook-signature']?.slice(3)])
      if (hidden) expect(told).not.toContain(hidden)
  })
})

describe('a delivery that is taken', () => {
  it.each([
    { about: 'with one of several signatures', headers: (of: string) => `v1a,x v1,AAAA ${of}` },
    { about: 'with the old secret, while both count', key: otherKey },
    { about: 'four minutes late', timestamp: minutes(4) },
  ])('$about', async ({ headers, ...sign }) => {
    const secrets = [secret, otherKey]
    const hooks = await serveHooks([{ ...signedHook, auth: { type: 'standard-webhooks', secrets } }])
    const body = '{"a":"ü"}'
    const all = signed(body, sign)
    const signature = headers?.(all['webhook-signature'] ?? '') ?? all['webhook-signature'] ?? ''
    const answer = await fetch(`${hooks.url}/hooks/signed`, {
      method: 'POST',
      headers: { ...all, 'webhook-signature': signature, 'content-type': 'application/json; charset=UTF-8' },
      body,
    })
    expect(answer.status).toBe(200)
    expect(hooks.evaluations).toMatchObject([{ event: { hook: 'signed', body: { a: 'ü' } } }])
  })
})

it.each([
  { about: 'JSON that its sender calls a text, where the hook says so', type: 'text/plain; charset=utf-8' },
  { about: 'JSON after a byte order mark', body: '\ufeff{"a":1}' },
  { about: 'a body whose coding is that it has none', coding: 'identity' },
])('takes $about', async ({ type = 'application/json', body = '{"a":1}', coding = '' }) => {
  const hooks = await serveHooks([{ ...signedHook, contentType: 'text/plain' }])
  const headers = { ...signed(body), 'content-type': type, ...(coding ? { 'content-encoding': coding } : {}) }
  const answer = await fetch(`${hooks.url}/hooks/signed`, { method: 'POST', headers, body })
  expect(answer.status).toBe(200)
  expect(hooks.evaluations).toMatchObject([{ event: { body: { a: 1 } } }])
})

describe('a token', () => {
  const hook: Hook = {
    name: 'token',
    event: 'incident',
    auth: { type: 'token', header: 'X-Token', secrets: ['new', 'old'] },
  }
  const bearer: Hook = {
    name: 'bearer',
    event: 'incident',
    auth: { type: 'token', header: 'Authorization', secrets: ['new'] },
  }
  it.each([
    { path: 'token', header: { 'x-token': 'new' }, status: 200 },
    { path: 'token', header: { 'x-token': 'old' }, status: 200 },
    { path: 'token', header: { 'x-token': 'ne' }, status: 401 },
    { path: 'token', header: { 'x-token': 'newer' }, status: 401 },
    { path: 'token', header: { 'x-token': '' }, status: 401 },
    { path: 'token', header: {}, status: 401 },
    { path: 'token?x-token=new', header: {}, status: 401 },
    { path: 'bearer', header: { authorization: 'Bearer new' }, status: 200 },
    { path: 'bearer', header: { authorization: 'Basic new' }, status: 401 },
  ])('$path with $header: $status', async ({ path, header, status }) => {
    const hooks = await serveHooks([hook, bearer])
    const headers = { 'content-type': 'application/json', 'webhook-id': 'one', ...header }
    const answer = await fetch(`${hooks.url}/hooks/${path}`, { method: 'POST', headers, body: '{}' })
    expect(answer.status).toBe(status)
    expect(hooks.evaluations).toHaveLength(status === 200 ? 1 : 0)
  })
})

describe('a signature of the body alone', () => {
  const hook: Hook = {
    name: 'hmac',
    event: 'incident',
    auth: { type: 'hmac', header: 'X-Signature', prefix: 'v1=', secrets: ['new secret of theirs', secret] },
  }
  const body = '{"a":"ü"}'
  const hex = (key: string, of = body): string => createHmac('sha256', key).update(of).digest('hex')
  const other = hex('somebody else')
  it.each([
    { about: 'the secret', header: `v1=${hex(secret)}`, status: 200 },
    { about: 'the other secret', header: `v1=${hex('new secret of theirs')}`, status: 200 },
    { about: 'one of several', header: `v1=${other},v1=${hex(secret)}`, status: 200 },
    { about: 'one of several, with blanks', header: `v0=${other} , v1=${hex(secret)}`, status: 200 },
    { about: 'upper case', header: `v1=${hex(secret).toUpperCase()}`, status: 200 },
    { about: 'another secret', header: `v1=${other}`, status: 401 },
    { about: 'of another body', header: `v1=${hex(secret, '{}')}`, status: 401 },
    { about: 'another prefix', header: `v2=${hex(secret)}`, status: 401 },
    { about: 'no prefix', header: hex(secret), status: 401 },
    { about: 'a part of it', header: `v1=${hex(secret).slice(0, 63)}`, status: 401 },
    { about: 'the prefix alone', header: 'v1=', status: 401 },
    { about: 'nothing', header: '', status: 401 },
    { about: 'no header', header: undefined, status: 401 },
  ])('$about: $status', async ({ header, status }) => {
    const hooks = await serveHooks([hook])
    const answer = await fetch(`${hooks.url}/hooks/hmac`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': 'one',
        ...(header !== undefined && { 'x-signature': header }),
      },
      body,
    })
    expect(answer.status).toBe(status)
    expect(hooks.evaluations).toHaveLength(status === 200 ? 1 : 0)
  })
})

it('what cannot be recorded is not taken, and the sender is to come again', async () => {
  const evaluation = () =>
    Promise.reject(new RunbookError('DataDirUnusable', 'the disk is full: /secret/place'))
  const hooks = await serveHooks([signedHook], { evaluation })
  const answer = await fetch(`${hooks.url}/hooks/signed`, {
    method: 'POST',
    headers: signed('{}'),
    body: '{}',
  })
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await answer.text()).not.toContain('secret')
})

it.each(['/hooks/signed', '/%68ooks/signed'])(
  'a stopping process refuses deliveries before it reads them: %s',
  async (path) => {
    const hooks = await serveHooks([signedHook], { isStopping: () => true })
    const answer = await fetch(hooks.url + path, {
      method: 'POST',
      headers: signed('{}'),
      body: '{}',
    })
    expect([answer.status, answer.headers.get('retry-after'), hooks.evaluations.length]).toEqual([
      503,
      '5',
      0,
    ])
  },
)

describe('a sender that dawdles is hung up on', () => {
  const limitsMs = { headers: 200, request: 400 }
  it.each([
    ['in its headers', 'POST /hooks/signed HTTP/1.1\r\nhost: localhost\r\n'],
    [
      'in its body',
      'POST /hooks/signed HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
    ],
  ])('%s', async (_, text) => {
    const hooks = await serveHooks([signedHook], { limitsMs })
    const { socket, answer } = openSocket(hooks.port)
    socket.write(text)
    expect(await answer).toMatch(/^HTTP\/1.1 408 /)
    expect(hooks.evaluations).toEqual([])
  })
})

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Sends all of it, and reads what is answered, whichever comes first. */
async function send(
  port: number,
  { method, path, headers, body }: Sent,
): Promise<{ readonly status: number; readonly text: string }> {
  const { socket, answer } = openSocket(port)
  const lines = Object.entries({
    host: '127.0.0.1',
    connection: 'close',
    'content-length': String(body.length),
    ...headers,
  })
  socket.write(
    `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  )
  socket.write(body)
  const text = await answer
  return { status: Number(text.split(' ')[1]), text }
}
