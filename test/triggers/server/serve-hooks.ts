/** The HTTP side of `serve` on a port of this machine, and a sender that signs. */
import { createHmac, randomUUID } from 'node:crypto'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { EventEvaluation } from '../../../src/core/triggers/event-evaluation.ts'
import { createApp } from '../../../src/triggers/server/create-app.ts'
import type { DeliveryAnswer } from '../../../src/triggers/server/delivery-answer.ts'
import type { Hook } from '../../../src/triggers/webhooks/read-delivery.ts'

/** 24 bytes. */
export const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3'

export const signedHook: Hook = {
  name: 'signed',
  event: 'incident',
  auth: { type: 'standard-webhooks', secrets: [secret] },
}

export interface ServedHooks {
  readonly port: number
  readonly url: string
  /** What was offered: nothing else could have started anything. */
  readonly evaluations: readonly EventEvaluation[]
  readonly answers: readonly DeliveryAnswer[]
}

export async function serveHooks(
  hooks: readonly Hook[],
  options: Partial<Parameters<typeof createApp>[0]> = {},
): Promise<ServedHooks> {
  const evaluations: EventEvaluation[] = []
  const answers: DeliveryAnswer[] = []
  const app = createApp({
    hooks,
    runbooks: [],
    actions: [],
    callbacks: { key: () => undefined, hasEnded: async () => true, isKnown: async () => false },
    async evaluation(evaluation) {
      evaluations.push(evaluation)
      const { hook, id, type } = evaluation.event
      return { hook, event_id: id, type, received_at: '', deliveries: 1, starts: [] }
    },
    isStopping: () => false,
    whyNotReady: async () => undefined,
    metrics: async () => '',
    onAnswer: (answer) => answers.push(answer),
    ...options,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const { port } = app.server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}`, evaluations, answers }
}

export interface SignOptions {
  readonly id?: string
  readonly key?: string
  /** Unix seconds. */
  readonly timestamp?: number
}

/** The headers of a delivery that was signed for this body. */
export function signed(body: string | Buffer, options: SignOptions = {}): Record<string, string> {
  const { id = randomUUID(), key = secret, timestamp = Math.floor(Date.now() / 1000) } = options
  const hmac = createHmac('sha256', Buffer.from(key.replace(/^whsec_/, ''), 'base64'))
  hmac.update(`${id}.${timestamp}.`).update(body)
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${hmac.digest('base64')}`,
  }
}

/** A connection without an HTTP client, and all that it is answered until it is closed. */
export function openSocket(port: number): { readonly socket: Socket; readonly answer: Promise<string> } {
  const socket = connect(port, '127.0.0.1')
  // The server may hang up on what it does not want.
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.on('data', (data) => {
    text += String(data)
  })
  return { socket, answer: new Promise((resolve) => socket.once('close', () => resolve(text))) }
}
