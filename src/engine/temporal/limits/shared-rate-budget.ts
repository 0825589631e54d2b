import {
  type NoPermit,
  type RateBudget,
  type RateLease,
  steadyNow,
  unlimited,
  waitForPermit,
} from '../../../api/pacing/index.ts'
import type { RateWindow } from '../../../core/pacing/index.ts'
import type { LimiterClient } from './limiter-client.ts'
import type { OwnPermit } from './prefetched-permits.ts'

/** The reported wait while the first answer of the limiter is awaited. */
const unknownMs = 200

/** The rate budget of all processes that use the same limiters. */
export function createSharedRateBudget(limiterOf: (key: string) => LimiterClient): RateBudget {
  return {
    async acquire(key, windows, options = {}) {
      const limiter = limiterOf(key)
      if (limiter.waiting > 0) options.onWait?.(pauseOf(limiter) ?? { reason: 'budget' })
      else {
        const lease = takePermit(limiter, windows)
        if (lease) return lease
      }
      return waitForPermit(limiter, options, () => askForPermit(limiter, windows))
    },
    acquireNow(key, windows) {
      const limiter = limiterOf(key)
      return limiter.waiting > 0 ? undefined : takePermit(limiter, windows)
    },
    pause: (key, untilMs) => limiterOf(key).pause(untilMs),
  }
}

function askForPermit(limiter: LimiterClient, windows: readonly RateWindow[]): RateLease | NoPermit {
  const lease = takePermit(limiter, windows)
  if (lease) return lease
  if (limiter.refused) throw limiter.refused
  limiter.refill(windows)
  const wait = knownWait(limiter) ?? { reason: 'budget', untilMs: steadyNow() + unknownMs }
  return { ...wait, askAgainMs: Math.min(wait.untilMs, limiter.askAgainMs()) }
}

/** Why there is no permit now, and until when at least. */
function knownWait(limiter: LimiterClient): NoPermit | undefined {
  const pause = pauseOf(limiter)
  if (pause) return pause
  const nextMs = limiter.prefetched.nextMs()
  if (nextMs !== undefined) return { reason: 'budget', untilMs: nextMs }
  return limiter.wait && limiter.wait.untilMs > steadyNow() ? limiter.wait : undefined
}

function pauseOf({ pausedUntilMs }: LimiterClient): NoPermit | undefined {
  return pausedUntilMs > steadyNow() ? { reason: 'throttle', untilMs: pausedUntilMs } : undefined
}

function takePermit(limiter: LimiterClient, windows: readonly RateWindow[]): RateLease | undefined {
  if (pauseOf(limiter)) return undefined
  if (windows.length === 0) return unlimited
  const permit = limiter.prefetched.take()
  if (!permit) return undefined
  limiter.refill(windows, 'ahead')
  return createLease(limiter, permit)
}

function createLease(limiter: LimiterClient, permit: OwnPermit): RateLease {
  const { slot } = permit
  const { prefetched } = limiter
  let isSent = false
  const note = (kind: 'sent' | 'answered' | 'unused', atMs: number): void => {
    prefetched.note(slot, kind, atMs)
    limiter.noted()
  }
  // A call that still waits for a connection keeps its permit: the process reports that it will be sent within another span.
  const spanMs = Math.max(100, permit.untilMs - permit.fromMs)
  const keep = (untilMs: number): NodeJS.Timeout =>
    setTimeout(
      () => {
        note('sent', untilMs + spanMs)
        renewal = keep(untilMs + spanMs)
      },
      Math.max(0, untilMs - spanMs / 2 - steadyNow()),
    ).unref()
  let renewal = keep(permit.untilMs)
  return {
    sent() {
      isSent = true
      clearTimeout(renewal)
      note('sent', steadyNow())
    },
    done() {
      clearTimeout(renewal)
      note('answered', steadyNow())
    },
    cancel() {
      clearTimeout(renewal)
      if (isSent) return
      if (permit.untilMs > steadyNow()) prefetched.putBack(permit)
      else prefetched.note(slot, 'unused', 0)
      limiter.wake()
      limiter.noted()
    },
  }
}
