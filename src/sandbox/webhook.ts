/** Events of incidents, as the platform sends them: with a header that the receiver knows, and without a signature. */
import { waitUnlessClosing } from './clock.ts'

/** The header that says who sends. */
const tokenHeader = 'x-sandbox-token'
/** Its value when nothing else is said. */
export const usualToken = 'sandbox-webhook-token'

/** An event on its way: what is sent, byte for byte. */
export interface WebhookDelivery {
  readonly url: string
  readonly body: string
  /** Left out: the request does not say who sends it. */
  readonly token?: string
}

/** What the receiver said, or why nothing was said. */
export type DeliveryResult =
  | { readonly delivered: boolean; readonly status: number; readonly answer: string }
  | { readonly delivered: false; readonly error: string }

/** Sends an event once. */
export async function deliver(
  { url, body, token }: WebhookDelivery,
  closing: AbortSignal,
): Promise<DeliveryResult> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token !== undefined && { [tokenHeader]: token }) },
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
