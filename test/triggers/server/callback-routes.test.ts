import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { callbackAddresses } from '../../../src/engine/record/index.ts'
import type { CallbackPort } from '../../../src/triggers/server/index.ts'
import { type ServedHooks, serveHooks } from './serve-hooks.ts'

const key = 'k'.repeat(32)
const runId = 'run_20260101_000000_abc123'

interface Sent {
  readonly status: number
  readonly answer: unknown
}

async function send(url: string, body: unknown, more: RequestInit = {}): Promise<Sent> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const headers = { 'content-type': 'application/json', ...more.headers }
  const answer = await fetch(url, { method: 'POST', ...more, headers, body: text })
  return { status: answer.status, answer: await answer.json() }
}

interface Served extends ServedHooks {
  readonly address: string
}

async function serve(port: Partial<CallbackPort> = {}, name = 'built', run = runId): Promise<Served> {
  const callbacks = { key: () => key, hasEnded: async () => false, isKnown: async () => false, ...port }
  const served = await serveHooks([], { callbacks })
  const addresses = callbackAddresses(run, [name], { publicUrl: `${served.url}/`, key })
  return { ...served, address: addresses[name] ?? '' }
}

const nothingHere = { status: 404, answer: { error: 'there is nothing at this address' } }

it.each(['POST', 'PUT'])('records a body that comes by %s, under its hash', async (method) => {
  const { address, evaluations, answers } = await serve()
  const text = '{"ok": true}'
  const id = `sha256-${createHash('sha256').update(text).digest('hex')}`
  expect(await send(address, text, { method })).toEqual({
    status: 200,
    answer: { event_id: id, run_id: runId },
  })
  expect(evaluations).toMatchObject([
    { event: { hook: `callbacks/${runId}/built`, id, type: 'callback', body: { ok: true } }, candidates: [] },
  ])
  expect(answers).toMatchObject([{ hook: 'callbacks', status: 200 }])
})

it('answers a wrong token, name or run as any address that does not exist', async () => {
  let asked = 0
  const hasEnded = async (): Promise<boolean> => {
    asked++
    return true
  }
  const { address, url, evaluations } = await serve({ hasEnded })
  const token = address.split('/').at(-1) ?? ''
  const wrong = [
    `${url}/callbacks/${runId}/built/${'x'.repeat(token.length)}`,
    `${url}/callbacks/${runId}/built/${token}x`,
    `${url}/callbacks/${runId}/built/`,
    `${url}/callbacks/${runId}/other/${token}`,
    `${url}/callbacks/run_20260101_000000_other1/built/${token}`,
    `${url}/callbacks/${runId}/built/${token}/more`,
  ]
  for (const one of wrong) expect(await send(one, {})).toEqual(nothingHere)
  expect(await send(address, {}, { method: 'DELETE' })).toEqual(nothingHere)
  // Also before anything is known of the body.
  expect(await send(wrong[0] ?? '', 'x', { headers: { 'content-type': 'text/plain' } })).toEqual(nothingHere)
  expect({ asked, evaluations }).toEqual({ asked: 0, evaluations: [] })
})

it('has no callbacks without a key', async () => {
  const { address } = await serve({ key: () => undefined })
  expect(await send(address, {})).toEqual(nothingHere)
})

it('refuses what no step can take any more, and still confirms what was recorded', async () => {
  const known = '{"ok": true}'
  const id = `sha256-${createHash('sha256').update(known).digest('hex')}`
  const isKnown: CallbackPort['isKnown'] = async (hook, eventId) =>
    hook === `callbacks/${runId}/built` && eventId === id
  const { address } = await serve({ hasEnded: async () => true, isKnown })
  expect(await send(address, known)).toMatchObject({ status: 200 })
  expect(await send(address, {})).toEqual({ status: 410, answer: { error: 'the run has ended' } })
})

it.each([
  ['no JSON', 'nonsense', {}, 400],
  ['deep nesting', '['.repeat(200) + ']'.repeat(200), {}, 400],
  ['another content type', '{}', { 'content-type': 'text/plain' }, 415],
  ['a compressed body', '{}', { 'content-encoding': 'gzip' }, 415],
  ['a large body', JSON.stringify('x'.repeat(1024 * 1024)), {}, 413],
  ['a request of a web page', '{}', { origin: 'https://evil.example' }, 403],
])('refuses %s', async (_, body, headers, status) => {
  const { address, evaluations } = await serve()
  expect((await send(address, body, { headers })).status).toBe(status)
  expect(evaluations).toEqual([])
})

it('records neither secrets nor the own address', async () => {
  const { address, evaluations } = await serve()
  const token = address.split('/').at(-1) ?? ''
  await send(address, { password: 'correct horse', callback: address, note: 'correct horse' })
  const [evaluation] = evaluations
  expect(evaluation?.event.body).toMatchObject({ password: '(masked)', note: '(masked)' })
  expect(JSON.stringify(evaluations)).not.toContain(token)
})

it('serves the long ids that runs have on Temporal', async () => {
  const long = `run_diagnose_host-${'é/%2F'.repeat(40)}`
  const { address, evaluations } = await serve({}, 'built', long)
  expect(await send(address, {})).toMatchObject({ status: 200, answer: { run_id: long } })
  expect(evaluations).toHaveLength(1)
})
