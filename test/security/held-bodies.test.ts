/** Many connections each hold a body that is almost complete, before anything of it can be authenticated. */
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { openSocket, serveHooks, signed, signedHook } from '../triggers/server/serve-hooks.ts'

const bodyBytes = 100_000
const headOf = (bytes: number): string =>
  `POST /hooks/signed HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`

const deliver = async (url: string): Promise<number> =>
  (await fetch(`${url}/hooks/signed`, { method: 'POST', headers: signed('{}'), body: '{}' })).status

it('bodies take so much memory together and no more; what is above is answered with 503', async () => {
  const { port, url } = await serveHooks([signedHook], { mostHeldBytes: 10 * bodyBytes })
  const opened = Array.from({ length: 20 }, () => openSocket(port))
  let refused = 0
  for (const { answer } of opened)
    void answer.then((text) => {
      if (text.startsWith('HTTP/1.1 503 ')) refused++
    })
  for (const { socket } of opened) socket.write(headOf(bodyBytes + 1) + ' '.repeat(bodyBytes))
  await expect.poll(() => refused).toBe(10)
  expect(await deliver(url)).toBe(503)
  // Those that hung up give their part back.
  for (const { socket } of opened) socket.destroy()
  await expect.poll(() => deliver(url)).toBe(200)
})

it('a body that has been answered holds nothing', async () => {
  const { url } = await serveHooks([signedHook], { mostHeldBytes: 3 * bodyBytes })
  const body = `"${'x'.repeat(bodyBytes)}"`
  for (let count = 0; count < 8; count++) {
    const sent = { method: 'POST', headers: signed(body), body }
    expect((await fetch(`${url}/hooks/signed`, sent)).status).toBe(200)
  }
})

it('a sender that names no length is counted as it sends', async () => {
  const { port } = await serveHooks([signedHook], { mostHeldBytes: bodyBytes })
  const { socket, answer } = openSocket(port)
  socket.write(headOf(0).replace('content-length: 0', 'transfer-encoding: chunked'))
  socket.write(`${(2 * bodyBytes).toString(16)}\r\n${' '.repeat(2 * bodyBytes)}\r\n`)
  expect(await answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*come again/)
})

it('further connections than so many are closed, and those that are there work', async () => {
  const { port } = await serveHooks([signedHook], { mostConnections: 5 })
  const sockets = Array.from({ length: 5 }, () => openSocket(port))
  await Promise.all(sockets.map(({ socket }) => once(socket, 'connect')))
  await openSocket(port).answer
  const [first] = sockets
  first?.socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
  expect(await first?.answer).toContain('200 OK')
})

it('a sender that breaks its body off is refused; nothing has failed here', async () => {
  const failures: unknown[] = []
  const onFailure = (failure: unknown): number => failures.push(failure)
  const { port, answers } = await serveHooks([signedHook], { onFailure })
  for (const head of [
    headOf(bodyBytes),
    `${headOf(0).replace('content-length: 0', 'transfer-encoding: chunked')}8000\r\n`,
  ]) {
    for (const end of ['destroy', 'resetAndDestroy'] as const) {
      const before = answers.length
      const { socket } = openSocket(port)
      socket.write(head + ' '.repeat(1000), () => setImmediate(() => socket[end]()))
      await expect.poll(() => answers.slice(before)).toMatchObject([{ hook: 'signed', status: 400 }])
    }
  }
  expect(failures).toEqual([])
})
