import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { selfSigned } from '../api/self-signed.ts'

/** One answer of a route. */
export interface HttpAnswer {
  /** @default 200 */
  readonly status?: number
  readonly body?: unknown
  /** The request is executed, and its answer gets lost. */
  readonly lost?: true
}

/** Answers by `CONNECTION METHOD PATH`, in their order; the last one stays. */
export type Routes = Readonly<Record<string, readonly HttpAnswer[]>>

/** A request as it came. */
export interface HttpReceived {
  /** Such as `cluster GET /version`, with the status of those that were refused. */
  readonly call: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** The servers that a runbook talks to. */
export interface HttpStandIn {
  readonly received: readonly HttpReceived[]
  /** The address of a connection, over TLS or not. */
  address(connection: string, isTls: boolean): string
  close(): void
}

/** Starts servers for all connections, which answer as a case says. What no route is for is refused with 404. */
export async function startHttpStandIn(routes: Routes): Promise<HttpStandIn> {
  const received: HttpReceived[] = []
  const asked = new Map<string, number>()
  const answer: RequestListener = async (request, response) => {
    const [connection = '', path, query] = readAddress(request)
    const route = `${connection} ${request.method} ${path}`
    const times = asked.get(route) ?? 0
    asked.set(route, times + 1)
    const answers = routes[route] ?? [{ status: 404, body: { message: `no route is for ${route}` } }]
    const { status = 200, body, lost } = answers[Math.min(times, answers.length - 1)] ?? {}
    const call = status < 400 ? route : `${route} ${status}`
    received.push({ call, query, headers: request.headers, body: await readBody(request) })
    if (lost) return request.socket.destroy()
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body === undefined ? '' : JSON.stringify(body))
    return undefined
  }
  const servers = [createServer(answer), createTlsServer(selfSigned, answer)]
  for (const server of servers) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  const [plain, tls] = servers.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`)
  return {
    received,
    address: (connection, isTls) => `${isTls ? `https://${tls}` : `http://${plain}`}/${connection}`,
    close() {
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
    },
  }
}

function readAddress({ url = '' }: IncomingMessage): [string | undefined, string, Record<string, string>] {
  const { pathname, searchParams } = new URL(url, 'http://stand-in')
  const [, connection, ...rest] = pathname.split('/')
  return [connection, `/${rest.join('/')}`, Object.fromEntries(searchParams)]
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  return request.headers['content-length'] === undefined ? undefined : json(request)
}
