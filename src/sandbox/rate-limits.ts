import type { RateLimit } from '../api/operations/index.ts'

/** Counts calls in exact sliding windows. */
export interface RateLimits {
  /**
   * Counts one call and answers 0, or answers how many milliseconds are missing until the next one is allowed. A call
   * that is refused is not counted.
   */
  take(name: string, limit: RateLimit, nowMs: number): number
  clear(): void
}

/** In any stretch of a window's length, at most its number of calls. */
export function createRateLimits(): RateLimits {
  const logs = new Map<string, number[]>()
  return {
    take(name, limit, nowMs) {
      const log = logs.get(name) ?? []
      logs.set(name, log)
      let waitMs = 0
      let kept = 0
      for (const [max, lengthMs] of windowsOf(limit)) {
        // A window is full while its oldest allowed call, the max-th from the end, is inside it.
        const oldest = log[log.length - max]
        if (oldest !== undefined) waitMs = Math.max(waitMs, oldest + lengthMs - nowMs)
        kept = Math.max(kept, max)
      }
      if (waitMs > 0) return waitMs
      log.push(nowMs)
      if (log.length >= 2 * kept) log.splice(0, log.length - kept)
      return 0
    },
    clear: () => logs.clear(),
  }
}

function windowsOf(limit: RateLimit): readonly (readonly [max: number, lengthMs: number])[] {
  return [
    [limit.perSecond, 1000],
    [limit.perMinute, 60_000],
    ...(limit.perDay === undefined ? [] : [[limit.perDay, 86_400_000] as const]),
  ]
}
