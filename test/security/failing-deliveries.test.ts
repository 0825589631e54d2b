/** A delivery makes `serve` fail, and the answer quotes what only the log may hold. */
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../src/engine/embedded/database/database.ts'
import { createHealthApp } from '../../src/triggers/server/create-app.ts'
import { createDeliveryWatch } from '../../src/triggers/server/refused-deliveries.ts'
import { newFolder } from '../cli/support/opsbook.ts'
import { openSocket, serveHooks, signed, signedHook } from '../triggers/server/serve-hooks.ts'
import { startServing } from './support/serve-in-process.ts'

const canary = 'ENVCANARY-4b1c9e0d'

function post(url: string, hook: string, body: string, headers: Record<string, string>): Promise<Response> {
  return fetch(`${url}/hooks/${hook}`, { method: 'POST', headers, body })
}

it('what is thrown is in the log, with the id that the sender gets', async () => {
  const failures: { readonly id: string; readonly error: unknown }[] = []
  const error = new SyntaxError(`Invalid regular expression: /${canary}/: Stack overflow`)
  const hooks = await serveHooks([signedHook], {
    mask: () => {
      throw error
    },
    onFailure: (failure) => failures.push(failure),
  })
  const answer = await post(hooks.url, 'signed', '{"a":"b"}', signed('{"a":"b"}'))
  const text = await answer.text()
  expect(answer.status).toBe(500)
  expect(text).not.toContain(canary)
  expect(failures).toMatchObject([{ hook: 'signed', error }])
  expect(JSON.parse(text)).toEqual({ error: 'the request failed here', id: failures[0]?.id })
})

it.each([false, true])('numbers that cannot be read, on a listener of their own: %s', async (isApart) => {
  const failures: { readonly id: string }[] = []
  const options = {
    whyNotReady: () => Promise.reject(new Error(canary)),
    metrics: () => {
      throw new Error(canary)
    },
    onFailure: (failure: { readonly id: string }) => failures.push(failure),
  }
  const app = createHealthApp(options)
  onTestFinished(() => app.close())
  const url = isApart
    ? await app.listen({ host: '127.0.0.1', port: 0 })
    : (await serveHooks([signedHook], options)).url
  for (const path of ['/readyz', '/metrics']) {
    const answer = await fetch(url + path)
    expect(answer.status).toBe(500)
    expect(await answer.json()).toEqual({ error: 'the request failed here', id: failures.at(-1)?.id })
  }
  expect(failures).toMatchObject([{ error: new Error(canary) }, { error: new Error(canary) }])
})

it.each([
  { about: 'authenticated', headers: signed('{}'), body: '{}', status: 200 },
  { about: 'forged', headers: { ...signed('{}'), 'webhook-id': 'x' }, body: '{}', status: 401 },
  {
    about: 'too large, from an unknown sender',
    headers: { 'content-type': 'application/json' },
    body: ' '.repeat(1_100_000),
    status: 413,
  },
])('a log that fails decides nothing: $about', async ({ headers, body, status }) => {
  const hooks = await serveHooks([signedHook], {
    onAnswer: () => {
      throw new Error(`the log says ${canary}`)
    },
  })
  const answer = await post(hooks.url, 'signed', body, headers).catch(() => undefined)
  // The server may hang up on the rest of what is too large before `fetch` reads its answer.
  if (answer) expect([answer.status, (await answer.text()).includes(canary)]).toEqual([status, false])
  expect((await post(hooks.url, 'signed', '{}', signed('{}'))).status).toBe(200)
})

it('serve is not ready while deliveries fail, and says why in its log', async () => {
  const folder = await newFolder({
    'opsbook.yaml': 'hooks:\n  open: { id: "${{ body.id }}" }\n',
  })
  const { url, text } = await startServing(['--sandbox', '--data-dir', 'data'], { folder })
  const deliver = (id: string) =>
    post(url, 'open', JSON.stringify({ id }), { 'content-type': 'application/json' })
  const isReady = async () => (await fetch(`${url}/readyz`)).status
  expect([(await deliver('one')).status, await isReady()]).toEqual([200, 200])

  const database = openDatabase(join(folder, 'data'))
  onTestFinished(() => database.close())
  database.exec('ALTER TABLE received_events RENAME TO damaged_events')
  const failed = await deliver('two')
  const { error, id } = (await failed.json()) as { readonly error: string; readonly id: string }
  expect([500, 503]).toContain(failed.status)
  expect(error).toMatch(/^the request failed here$|^no event can be taken now; come again$/)
  expect(text()).toContain(id)
  expect(text()).toContain('received_events')
  // The result is cached for 5 seconds.
  await expect.poll(isReady).toBe(503)

  database.exec('ALTER TABLE damaged_events RENAME TO received_events')
  expect((await deliver('three')).status).toBe(200)
  await expect.poll(isReady).toBe(200)
}, 60_000)

it('a failure counts for a minute: where no delivery comes, none can prove that they succeed again', () => {
  let now = 0
  const watch = createDeliveryWatch(() => now)
  watch.answered({ status: 401, reason: 'the delivery is not authenticated' })
  watch.answered({ status: 500, reason: 'the request failed here' })
  expect(watch.problem()).toBeUndefined()
  watch.answered({ status: 500, reason: 'the request failed here', isFailure: true })
  expect(watch.problem()).toMatch(/last delivery failed/)
  now = 60_000
  expect(watch.problem()).toBeUndefined()
})

it.each([
  ['/hooks/%', 'GET /hooks/% HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'],
  ['no HTTP', 'hello\r\n\r\n'],
  ['the hello of TLS', '\u0016\u0003\u0001 hello\r\n\r\n'],
  ['a head that is too long', `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`],
])('what cannot be read is answered in our form: %s', async (_, text) => {
  const { port } = await serveHooks([signedHook])
  const { socket, answer: answered } = openSocket(port)
  socket.write(text)
  const answer = await answered
  expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({ error: 'the request cannot be read' })
})
