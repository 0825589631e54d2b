import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'

/** An answer on its way back to the client. */
export interface PassingAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A request on its way to the service. */
export interface PassingRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A gateway between client and service, as in most networks. */
export interface Gateway {
  readonly url: string
  readonly requests: readonly PassingRequest[]
  /** What becomes of the answers from now on. */
  change: (answer: PassingAnswer, asked: PassingRequest) => PassingAnswer
  close(): Promise<void>
}

/** Forwards requests and answers, changed by the given rules. */
export async function openGateway(serviceUrl: string): Promise<Gateway> {
  const requests: PassingRequest[] = []
  const server = createServer(async (incoming, outgoing) => {
    const asked = await read(incoming)
    requests.push(asked)
    const { status, headers, body } = gateway.change(await passOn(serviceUrl, asked), asked)
    outgoing.writeHead(status, headers).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const gateway: Gateway = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    change: (answer) => answer,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return gateway
}

async function read(incoming: IncomingMessage): Promise<PassingRequest> {
  const { method = '', url = '', headers } = incoming
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return { method, url, headers, body: Buffer.concat(chunks).toString() }
}

async function passOn(serviceUrl: string, asked: PassingRequest): Promise<PassingAnswer> {
  const { statusCode, headers, body } = await request(`${serviceUrl}${asked.url}`, {
    method: asked.method as 'POST',
    headers: {
      'content-type': String(asked.headers['content-type']),
      'accept-language': String(asked.headers['accept-language']),
    },
    body: asked.body,
  })
  const kept = Object.entries(headers).filter(([name]) => /content-type$|-request-id$/.test(name))
  return {
    status: statusCode,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    body: await body.text(),
  }
}
