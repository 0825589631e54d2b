import { type RateBudget, type RateLease, unlimited } from '../../../api/rate-budget.ts'
import { type NoPlace, waitForPlace } from '../../../api/wait-for-place.ts'
import { steadyNow } from '../../../api/waits.ts'
import type { RateWindow } from '../../../core/rate-windows.ts'
import type { RateLane } from './rate-lane.ts'
import type { OwnPlace } from './rate-stock.ts'

/** How long it takes, as far as anybody can say who waits for an answer. */
const unknownMs = 200

/** The rate budget of all processes that ask the same limiters. */
export function createSharedRateBudget(laneOf: (key: string) => RateLane): RateBudget {
  return {
    async acquire(key, windows, options = {}) {
      const lane = laneOf(key)
      if (lane.waiting > 0) options.onWait?.(pauseOf(lane) ?? { reason: 'budget' })
      else {
        const lease = takePlace(lane, windows)
        if (lease) return lease
      }
      return waitForPlace(lane, options, () => askForPlace(lane, windows))
    },
    acquireNow(key, windows) {
      const lane = laneOf(key)
      return lane.waiting > 0 ? undefined : takePlace(lane, windows)
    },
    pause: (key, untilMs) => laneOf(key).pause(untilMs),
  }
}

function askForPlace(lane: RateLane, windows: readonly RateWindow[]): RateLease | NoPlace {
  const lease = takePlace(lane, windows)
  if (lease) return lease
  lane.refill(windows)
  const wait = knownWait(lane) ?? { reason: 'budget', untilMs: steadyNow() + unknownMs }
  return { ...wait, askAgainMs: Math.min(wait.untilMs, lane.askAgainMs()) }
}

/** Why there is no place now, and until when at least. */
function knownWait(lane: RateLane): NoPlace | undefined {
  const pause = pauseOf(lane)
  if (pause) return pause
  const nextMs = lane.stock.nextMs()
  if (nextMs !== undefined) return { reason: 'budget', untilMs: nextMs }
  return lane.wait && lane.wait.untilMs > steadyNow() ? lane.wait : undefined
}

function pauseOf({ pausedUntilMs }: RateLane): NoPlace | undefined {
  return pausedUntilMs > steadyNow() ? { reason: 'throttle', untilMs: pausedUntilMs } : undefined
}

function takePlace(lane: RateLane, windows: readonly RateWindow[]): RateLease | undefined {
  if (pauseOf(lane)) return undefined
  if (windows.length === 0) return unlimited
  const place = lane.stock.take()
  if (!place) return undefined
  lane.refill(windows, 'ahead')
  return createLease(lane, place)
}

function createLease(lane: RateLane, place: OwnPlace): RateLease {
  const { slot } = place
  const { stock } = lane
  let isSent = false
  const note = (kind: 'sent' | 'answered' | 'unused', atMs: number): void => {
    stock.note(slot, kind, atMs)
    lane.noted()
  }
  // Whoever waits for the client's own turn keeps the place: it goes out by the end of another span.
  const spanMs = Math.max(100, place.untilMs - place.fromMs)
  const keep = (untilMs: number): NodeJS.Timeout =>
    setTimeout(
      () => {
        note('sent', untilMs + spanMs)
        renewal = keep(untilMs + spanMs)
      },
      Math.max(0, untilMs - spanMs / 2 - steadyNow()),
    ).unref()
  let renewal = keep(place.untilMs)
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
      if (place.untilMs > steadyNow()) stock.putBack(place)
      else stock.note(slot, 'unused', 0)
      lane.wake()
      lane.noted()
    },
  }
}
