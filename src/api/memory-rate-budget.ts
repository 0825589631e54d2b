import {
  createRateState,
  markAnswered,
  markSent,
  type RateState,
  type RateWindow,
  removeSlot,
  reserve,
} from '../core/rate-windows.ts'
import { type RateBudget, type RateLease, unlimited } from './rate-budget.ts'
import { createWaitingLane, type NoPlace, type WaitingLane, waitForPlace } from './wait-for-place.ts'
import { steadyNow } from './waits.ts'

/** How a budget in memory counts. */
export interface RateBudgetOptions {
  /**
   * The longest time a request takes to be counted by the service after it went out, in milliseconds. A slow answer
   * keeps its place in the windows for this long beyond their length.
   * @default 2000, which a machine that is busy needs; it costs nothing while answers come sooner
   */
  readonly marginMs?: number
}

/** The callers of one key. */
interface Lane extends WaitingLane {
  readonly state: RateState
  pausedUntilMs: number
}

/** A rate budget for the clients of one process. Give the same one to all of them. */
export function createRateBudget({ marginMs = 2000 }: RateBudgetOptions = {}): RateBudget {
  const lanes = new Map<string, Lane>()
  const laneOf = (key: string): Lane => {
    const known = lanes.get(key)
    if (known) return known
    const lane: Lane = { ...createWaitingLane(), state: createRateState(marginMs), pausedUntilMs: 0 }
    lanes.set(key, lane)
    return lane
  }
  const takeFree = (lane: Lane, windows: readonly RateWindow[]): RateLease | undefined => {
    const place = lane.waiting > 0 ? undefined : takePlace(lane, windows)
    return place && 'untilMs' in place ? undefined : place
  }
  return {
    async acquire(key, windows, options = {}) {
      const lane = laneOf(key)
      const place = takeFree(lane, windows)
      if (place) return place
      if (lane.waiting > 0) options.onWait?.(pauseOf(lane) ?? { reason: 'budget' })
      return waitForPlace(lane, options, () => takePlace(lane, windows))
    },
    acquireNow: (key, windows) => takeFree(laneOf(key), windows),
    pause(key, untilMs) {
      const lane = laneOf(key)
      lane.pausedUntilMs = Math.max(lane.pausedUntilMs, untilMs)
      lane.sleep?.wake()
    },
  }
}

function takePlace(lane: Lane, windows: readonly RateWindow[]): RateLease | NoPlace {
  const pause = pauseOf(lane)
  if (pause) return pause
  if (windows.length === 0) return unlimited
  const reservation = reserve(lane.state, windows, steadyNow(), 1)
  if (!reservation.isGranted) return { reason: 'budget', untilMs: reservation.untilMs }
  return createLease(lane, reservation.slots[0] as number)
}

function pauseOf({ pausedUntilMs }: Lane): NoPlace | undefined {
  if (pausedUntilMs === 0 || pausedUntilMs <= steadyNow()) return undefined
  return { reason: 'throttle', untilMs: pausedUntilMs }
}

function createLease(lane: Lane, slot: number): RateLease {
  const { state } = lane
  return {
    sent() {
      markSent(state, slot, steadyNow())
      lane.sleep?.wake()
    },
    done() {
      markAnswered(state, slot, steadyNow())
      lane.sleep?.wake()
    },
    cancel() {
      removeSlot(state, slot)
      lane.sleep?.wake()
    },
  }
}
