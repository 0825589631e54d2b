import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, isIPv6, type Server, type Socket } from 'node:net'
import { type Client, type ClientOptions, createClient } from 'opsbook/api'
import { onTestFinished } from 'vitest'

export const appKey = 'key/Of+Tests=42'

/** A request as it arrived. */
export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly arrivedAt: number
  /** Number of the connection it came on. */
  readonly connection: number
}

/** Decides what a request is answered with: data for an envelope, or whatever it does to the response itself. */
export type Answering = (received: Received, response: ServerResponse, count: number) => unknown

export interface StandIn {
  readonly baseUrl: string
  readonly received: readonly Received[]
  readonly client: (options?: Partial<ClientOptions>) => Client
}

/** A server for one test with given answers. */
export async function startStandIn(answering: Answering, host = '127.0.0.1'): Promise<StandIn> {
  const received: Received[] = []
  const connections: Socket[] = []
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const arrivedAt = performance.now()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const one: Received = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
      arrivedAt,
      connection: connections.indexOf(request.socket),
    }
    received.push(one)
    const data = await answering(one, response, received.length)
    if (data !== undefined) sendEnvelope(response, { request_id: `req-${received.length}`, data })
  }
  server.on('connection', (socket) => connections.push(socket))
  const baseUrl = `http://${isIPv6(host) ? `[${host}]` : host}:${await listen(server, host)}`
  onTestFinished(() => {
    server.closeAllConnections()
  })
  return { baseUrl, received, client: (options) => clientOf(baseUrl, options) }
}

/** A client that is closed with the test. */
export function clientOf(baseUrl: string, options: Partial<ClientOptions> = {}): Client {
  return createClient({ baseUrl, appKey, proxy: 'none', ...options })
}

/** Answers with a body as JSON, and with status 200 unless told otherwise. */
export function sendEnvelope(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body))
}

/** Answers with an error as the service does. */
export function sendError(
  response: ServerResponse,
  code: string,
  status = 400,
  message = `${code} happened`,
): void {
  sendEnvelope(response, { request_id: 'req-error', error: { code, message } }, status)
}

/** A server of bare sockets for one test. Answers with its base URL. */
export async function startSockets(onSocket: (socket: Socket, count: number) => void): Promise<string> {
  const sockets = new Set<Socket>()
  let count = 0
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    // Resets are part of the tests.
    socket.on('error', () => {})
    onSocket(socket, ++count)
  })
  const port = await listen(server)
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  return `http://127.0.0.1:${port}`
}

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  return (server.address() as AddressInfo).port
}
