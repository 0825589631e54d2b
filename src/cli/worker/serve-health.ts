import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { webPageProblem } from '../../engine/index.ts'

/** What the health server reports of a worker. */
export interface HealthSource {
  /** It takes work, and the server answers it. */
  isReady(): Promise<boolean>
  /** Where the SDK offers its metrics. */
  readonly metricsPort?: number
  /**
   * Host names that requests may name, besides IP addresses, `localhost` and the host of the listener.
   * @default none
   */
  readonly hostNames?: readonly string[]
}

/** The health server of a worker. */
export interface HealthServer {
  readonly port: number
  close(): Promise<void>
}

/**
 * Answers `/healthz` (the process lives), `/readyz` (it takes work) and `/metrics` (in the text of Prometheus). The
 * answers hold nothing else, so the port can be public. Requests of web pages are refused.
 */
export async function serveHealth(source: HealthSource, port: number, host: string): Promise<HealthServer> {
  const names = new Set([host, ...(source.hostNames ?? [])].map((name) => name.toLowerCase()))
  const server = createServer((incoming, outgoing) => {
    const problem = webPageProblem(incoming, names)
    if (problem) return say(outgoing, problem.status, `${problem.reason}\n`)
    void answer(incoming.url?.split('?')[0], source, outgoing).catch(() =>
      say(outgoing, 503, 'unavailable\n'),
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function answer(
  path: string | undefined,
  source: HealthSource,
  outgoing: ServerResponse,
): Promise<void> {
  if (path === '/healthz') return say(outgoing, 200, 'ok\n')
  if (path === '/readyz') {
    const isReady = await source.isReady()
    return say(outgoing, isReady ? 200 : 503, isReady ? 'ready\n' : 'not ready\n')
  }
  if (path !== '/metrics' || source.metricsPort === undefined) return say(outgoing, 404, 'not found\n')
  const response = await fetch(`http://127.0.0.1:${source.metricsPort}/metrics`)
  say(outgoing, response.status, await response.text())
}

function say(outgoing: ServerResponse, status: number, text: string): void {
  outgoing.writeHead(status, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text)
}
