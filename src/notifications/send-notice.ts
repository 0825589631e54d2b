import { type Dispatcher, request } from 'undici'
import { retryAfterMs } from '../api/http/index.ts'
import type { NoticeDraft } from '../engine/notices/index.ts'

/** The result of a try. The reason contains no part of the address. */
export type Sent =
  | { readonly isDelivered: true }
  | { readonly isDelivered: false; readonly reason: string; readonly retryAfterMs?: number }

/** How many bytes of an answer are read; its content is not used. */
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
    const askedMs = retryAfterMs(answer.headers, Date.now())
    const reason = `it answered with HTTP ${answer.statusCode}`
    return { isDelivered: false, reason, ...(askedMs === undefined ? {} : { retryAfterMs: askedMs }) }
  } catch (error) {
    return { isDelivered: false, reason: reasonOf(error, signal) }
  }
}

/** Only the code: messages contain the address. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'it did not answer in time'
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown }
  return `it could not be reached: ${typeof code === 'string' ? code : String(name ?? 'unknown')}`
}

const firstPauseMs = 5000
const longestPauseMs = 3_600_000

/** The pause after a failed try: longer each time, with jitter. */
export function retryPauseMs(
  { retryAfterMs = 0 }: Extract<Sent, { isDelivered: false }>,
  tries: number,
): number {
  const pauseMs = Math.min(firstPauseMs * 3 ** (tries - 1), longestPauseMs)
  return Math.max(Math.round(pauseMs * (0.75 + Math.random() / 2)), retryAfterMs)
}
