import {
  cancelled,
  type NoPermit,
  type RateBudget,
  type RateLease,
  steadyNow,
  unlimited,
  waitForPermit,
} from '../../../api/pacing/index.ts'
import type { RateWindow } from '../../../core/pacing/index.ts'
import type { LimiterClient } from './limiter-client.ts'
import type { Reservation } from './reservations.ts'

/** A shorter wait is not reported: each call asks the limiter. */
const unreportedMs = 200
/** How often a call looks for an answer that it was not woken by. */
const againMs = 1000
/** A process that has not heard of its limiter for this long looks for a pause before it calls. */
const unheardMs = 2000
const lookAheadMs = 1000

/**
 * The rate budget of all processes that use the same limiters. Calls of one process that wait are reserved together. One
 * after another uses a reservation, by priority, at its time.
 */
export function createSharedRateBudget(limiterOf: (key: string) => LimiterClient): RateBudget {
  return {
    async acquire(key, windows, options = {}) {
      const limiter = limiterOf(key)
      const { lane } = limiter
      const report = (): void => options.onWait?.(pauseOf(limiter, steadyNow()) ?? { reason: 'budget' })
      // The first one reports what it waits for itself.
      const timer = lane.waiting > 0 ? setTimeout(report, unreportedMs) : undefined
      try {
        return await waitForPermit(lane, options, () => takeOrReserve(limiter, windows))
      } finally {
        clearTimeout(timer)
        limiter.settle()
      }
    },
    pause: (key, untilMs) => limiterOf(key).pause(untilMs),
  }
}

async function takeOrReserve(
  limiter: LimiterClient,
  windows: readonly RateWindow[],
): Promise<RateLease | NoPermit> {
  for (let isAnswered = true; isAnswered; ) {
    const taken = take(limiter, windows)
    if (taken) return taken
    if (limiter.isClosed()) throw cancelled(undefined, false)
    isAnswered = await isOverWithin(unreportedMs, limiter.reserve(windows))
  }
  return { reason: 'budget', untilMs: steadyNow() + unreportedMs, askAgainMs: steadyNow() + againMs }
}

/** Undefined: only the limiter can tell. */
function take(limiter: LimiterClient, windows: readonly RateWindow[]): RateLease | NoPermit | undefined {
  const { own, wait } = limiter
  const now = steadyNow()
  const next = own.next(now, limiter.pausedUntilMs)
  limiter.settle()
  const pause = pauseOf(limiter, now)
  if (pause) return pause
  if (windows.length === 0) return unlimited
  if (!next) return wait && (wait.askAgainMs ?? wait.untilMs) > now ? wait : undefined
  if (next.fromMs > now) return waitFor(next, limiter, now)
  own.take()
  return leaseOf(next, limiter)
}

function pauseOf({ pausedUntilMs }: LimiterClient, now: number): NoPermit | undefined {
  return pausedUntilMs > now ? { reason: 'throttle', untilMs: pausedUntilMs } : undefined
}

/** Waits for the time of a reservation that was made long before, and looks first whether all are to pause by now. */
function waitFor({ fromMs }: Reservation, { heardMs, look }: LimiterClient, now: number): NoPermit {
  const wait: NoPermit = { reason: 'budget', untilMs: fromMs }
  const lookMs = fromMs - lookAheadMs
  if (heardMs >= fromMs - unheardMs) return wait
  if (now < lookMs) return { ...wait, askAgainMs: lookMs }
  look()
  return wait
}

function leaseOf(one: Reservation, { own, settle }: LimiterClient): RateLease {
  let isSent = false
  return {
    sent() {
      const now = steadyNow()
      isSent = now < one.untilMs
      own.sent(one, now)
      return isSent
    },
    // The limiter counts it from the end of its time on, whenever it was sent.
    done() {},
    isOver: () => one.untilMs <= steadyNow(),
    cancel() {
      if (isSent) return
      own.giveBack([one.slot])
      settle()
    },
  }
}

/** Whether it is over within this time. Rejects as it does until then. */
function isOverWithin(timeMs: number, isOver: Promise<void>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, timeMs, false)
    const end = (): void => {
      clearTimeout(timer)
      resolve(true)
    }
    isOver.then(end, reject)
  })
}
