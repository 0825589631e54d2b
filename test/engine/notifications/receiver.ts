import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** How a receiver treats a message. */
export type Manner = 'take' | 'fail' | 'hang' | 'close' | 'later' | 'slow'

/** A message as it arrived. */
export interface Received {
  readonly id: string
  readonly path: string
  readonly body: { readonly text?: string; readonly [key: string]: unknown }
}

/** A real HTTP server that people could read. */
export interface Receiver {
  readonly url: string
  readonly received: readonly Received[]
  /** From now on. */
  manner: Manner
  /** Resolves when this number has arrived. */
  has(count: number): Promise<void>
}

const answers: Readonly<Record<Manner, (response: ServerResponse) => void>> = {
  take: (response) => void response.writeHead(200).end('ok'),
  fail: (response) => void response.writeHead(500).end('no'),
  later: (response) =>
    void response.writeHead(429, { 'retry-after': new Date(Date.now() + 7_200_000).toUTCString() }).end(),
  hang: () => {},
  slow: (response) => void setTimeout(() => response.writeHead(200).end('ok'), 4000),
  close: (response) => void response.destroy(),
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += String(chunk)
    })
    request.on('end', () => {
      const id = String(request.headers['x-opsbook-delivery'])
      received.push({ id, path: String(request.url), body: JSON.parse(text) })
      answers[receiver.manner](response)
      for (const look of waiting) look()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/T0KEN-4711`,
    received,
    manner: 'take',
    has: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (received.length < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
  }
  return receiver
}
