/** Events, signed as the Standard Webhooks specification says. */
import { createHash, createHmac } from 'node:crypto'
import { waitUnlessClosing } from './clock.ts'

/** What events are signed with when nothing else is said. */
const defaultSecret = 'whsec_b3BzYm9vay1zYW5kYm94LXdlYmhvb2stc2VjcmV0'

/** The bytes of a secret: base64, with or without `whsec_` before it. Throws when it is neither. */
export function readWebhookSecret(secret: string = defaultSecret): Buffer {
  const text = secret.replace(/^whsec_/, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0) {
    throw new Error('the webhook secret must be base64, with or without whsec_ before it')
  }
  return Buffer.from(text, 'base64')
}

/** Attacks without the secret: another signature, a changed body, no signature. */
export type Forgery = 'key' | 'body' | 'unsigned'

/** An event on its way: what is sent, byte for byte. */
export interface WebhookDelivery {
  readonly url: string
  readonly eventId: string
  /** Unix seconds, part of what is signed. */
  readonly timestamp: number
  readonly body: string
  readonly forged?: Forgery | undefined
}

/** What the receiver said, or why nothing was said. */
export type DeliveryResult =
  | { readonly delivered: boolean; readonly status: number; readonly answer: string }
  | { readonly delivered: false; readonly error: string }

/** Sends an event once. */
export async function deliver(
  delivery: WebhookDelivery,
  key: Buffer,
  closing: AbortSignal,
): Promise<DeliveryResult> {
  const { url, eventId, timestamp, body } = delivery
  const signature = signatureOf(delivery, key)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': eventId,
        'webhook-timestamp': String(timestamp),
        ...(signature !== undefined && { 'webhook-signature': signature }),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([closing, AbortSignal.timeout(10_000)]),
    })
    const answer = (await response.text()).slice(0, 4096)
    return { delivered: response.ok, status: response.status, answer }
  } catch (error) {
    return { delivered: false, error: explain(error) }
  }
}

function signatureOf({ eventId, timestamp, body, forged }: WebhookDelivery, key: Buffer): string | undefined {
  if (forged === 'unsigned') return undefined
  const secret = forged === 'key' ? createHash('sha256').update(key).digest() : key
  const signed = `${eventId}.${timestamp}.${forged === 'body' ? `${body} ` : body}`
  return `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`
}

/** `fetch` hides the reason in the cause. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? error.cause : undefined
  return cause ? `${error.message}: ${cause.message || cause.name}` : error.message
}

/** How often, and after which pauses, an event that was not accepted is sent again. */
export interface Repeats {
  /** Further attempts after the first. */
  readonly retries: number
  /** Before the second attempt; twice as long before each one after it. */
  readonly delayMs: number
}

/**
 * Sends an event until it is accepted or refused, and returns the result of each attempt. Retries after a 5xx or
 * without an answer.
 */
export async function deliverAgain(
  attempt: () => Promise<DeliveryResult>,
  { retries, delayMs }: Repeats,
  closing: AbortSignal,
): Promise<readonly DeliveryResult[]> {
  const results = [await attempt()]
  while (results.length <= retries && isWorthAnother(results.at(-1)) && !closing.aborted) {
    await waitUnlessClosing(delayMs * 2 ** (results.length - 1), closing)
    results.push(await attempt())
  }
  return results
}

function isWorthAnother(result: DeliveryResult | undefined): boolean {
  return result !== undefined && ('error' in result || result.status >= 500)
}
