import { type Dispatcher, request } from 'undici'
import type { NoticeDraft } from '../engine/embedded/index.ts'

/** What a try came to: it arrived, or why it did not. No part of the address is in the reason. */
export type Sent =
  | { readonly isDelivered: true }
  | { readonly isDelivered: false; readonly reason: string; readonly retryAfterMs?: number }

/** How much is read of an answer, which nobody looks at. */
const mostAnswerBytes = 65_536

/** Makes one try. Never rejects. */
export async function sendNotice(
  { id, body }: NoticeDraft,
  url: string,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<Sent> {
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'opsbook',
        'x-opsbook-delivery': id,
      },
      body,
      dispatcher,
      signal,
    })
    await answer.body.dump({ limit: mostAnswerBytes, signal }).catch(() => {})
    if (answer.statusCode >= 200 && answer.statusCode < 300) return { isDelivered: true }
    const seconds = Number(answer.headers['retry-after'])
    const reason = `it answered with HTTP ${answer.statusCode}`
    return { isDelivered: false, reason, ...(seconds > 0 ? { retryAfterMs: seconds * 1000 } : {}) }
  } catch (error) {
    return { isDelivered: false, reason: reasonOf(error, signal) }
  }
}

/** The code alone: messages repeat the address. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'it did not answer in time'
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown }
  return `it could not be reached: ${typeof code === 'string' ? code : String(name ?? 'unknown')}`
}
