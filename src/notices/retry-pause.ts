import type { Sent } from './send-notice.ts'

const firstPauseMs = 5000
const longestPauseMs = 3_600_000

/** How long after a try that came to nothing the next one is made: longer each time, never the same for all. */
export function retryPauseMs(
  { retryAfterMs = 0 }: Extract<Sent, { isDelivered: false }>,
  tries: number,
): number {
  const pauseMs = Math.min(firstPauseMs * 3 ** (tries - 1), longestPauseMs)
  return Math.max(Math.round(pauseMs * (0.75 + Math.random() / 2)), retryAfterMs)
}
