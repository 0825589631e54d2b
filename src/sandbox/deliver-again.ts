import { pause } from './pause.ts'
import type { DeliveryResult } from './webhook.ts'

/** How often, and after which pauses, an event is sent again that nobody has taken. */
export interface Repeats {
  /** Further attempts after the first. */
  readonly retries: number
  /** Before the second attempt; twice as long before each one after it. */
  readonly delayMs: number
}

/** Sends until somebody takes the event or says no, and returns what came of each attempt. An answer of 5xx, or none, is tried again. */
export async function deliverAgain(
  attempt: () => Promise<DeliveryResult>,
  { retries, delayMs }: Repeats,
  closing: AbortSignal,
): Promise<readonly DeliveryResult[]> {
  const results = [await attempt()]
  while (results.length <= retries && isWorthAnother(results.at(-1)) && !closing.aborted) {
    await pause(delayMs * 2 ** (results.length - 1), closing)
    results.push(await attempt())
  }
  return results
}

function isWorthAnother(result: DeliveryResult | undefined): boolean {
  return result !== undefined && ('error' in result || result.status >= 500)
}
