/** A request with two Host headers: a proxy goes by one of them, and the server behind it by the other. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { serveHealth } from '../../src/cli/worker/serve-health.ts'
import { startSandbox } from '../../src/sandbox/index.ts'
import { newFolder } from '../cli/support/opsbook.ts'
import { openConsole } from '../console/support/open-console.ts'
import { serveHooks, signedHook } from '../triggers/server/serve-hooks.ts'

async function statusOf(port: number, path: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.end(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nHost: 127.0.0.1\r\nconnection: close\r\n\r\n`)
  let text = ''
  socket.on('data', (data) => {
    text += String(data)
  })
  await once(socket, 'close')
  return text.slice(0, 12)
}

it('is refused by serve, by the console, by a worker and by the sandbox', async () => {
  const { port } = await serveHooks([signedHook])
  expect(await statusOf(port, '/healthz')).toBe('HTTP/1.1 400')
  const console = await openConsole(await newFolder())
  expect(await statusOf(Number(new URL(console.url).port), '/')).toBe('HTTP/1.1 400')
  const worker = await serveHealth(
    { isReady: async () => true, metrics: async () => '' } as never,
    0,
    '127.0.0.1',
  )
  expect(await statusOf(worker.port, '/healthz')).toBe('HTTP/1.1 400')
  await worker.close()
  const sandbox = await startSandbox()
  expect(await statusOf(Number(new URL(sandbox.url).port), '/_sandbox/state')).toBe('HTTP/1.1 400')
  await sandbox.close()
})
