import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A way to a service on which answers wait until the test lets them go. */
export interface HeldAnswers {
  readonly url: string
  /** From now on, answers to requests whose path has this text are held. Sends those that are held. */
  hold(part: string): void
  /** How many answers were held so far. */
  count(): number
  /** Sends the answers that are held; later ones are held. */
  sendHeld(): void
  /** Sends the answers that are held, and holds no others. */
  release(): void
  close(): void
}

/** Passes requests to the service at `to`, which carries them out before their answers are held. */
export async function holdAnswers(to: string): Promise<HeldAnswers> {
  const held: (() => void)[] = []
  let wanted: string | undefined
  let count = 0
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming
    const onward = request(to + url, { method, headers, agent: false }, (answer) => {
      const send = (): void => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      }
      if (wanted === undefined || !url.includes(wanted)) return send()
      held.push(send)
      count++
    })
    onward.on('error', () => outgoing.destroy())
    // Its worker was killed.
    outgoing.on('error', () => {})
    incoming.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sendHeld = (): void => {
    for (const send of held.splice(0)) send()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold(part) {
      wanted = part
      sendHeld()
    },
    count: () => count,
    sendHeld,
    release() {
      wanted = undefined
      sendHeld()
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
