import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { startSandbox } from 'opsbook/sandbox'

/** Serves a sandbox that keeps the document's limits, and says where. */
export async function serveSandbox(latencyMs: number): Promise<void> {
  const { url } = await startSandbox({ latencyMs })
  process.send?.(url)
}

/** Serves the same answer to everything, without limits and so quick that it does not count; says where. */
export async function serveBare(latencyMs: number): Promise<void> {
  const answer = JSON.stringify({ request_id: 'req_0123456789', data: { items: [] } })
  const server = createServer((incoming, outgoing) => {
    incoming.resume().on('end', async () => {
      if (latencyMs > 0) await setTimeout(latencyMs)
      outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length })
      outgoing.end(answer)
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}
