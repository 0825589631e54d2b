import {
  createRateState,
  markAnswered,
  markSent,
  type RateState,
  type RateWindow,
  removeSlot,
  reserve,
} from '../../core/pacing/index.ts'
import { type RateBudget, type RateLease, unlimited } from './rate-budget.ts'
import { createWaitingLane, type NoPermit, type WaitingLane, waitForPermit } from './wait-for-permit.ts'
import { steadyNow } from './waits.ts'

/** How a budget in memory counts. */
export interface RateBudgetOptions {
  /**
   * The longest time from sending a request until the service counts it, in milliseconds. A slow answer keeps its
   * permit in the windows for this long beyond their length.
   * @default 2000, which a busy machine needs; it costs nothing while answers arrive sooner
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
    const permit = lane.waiting > 0 ? undefined : acquirePermit(lane, windows)
    return permit && 'untilMs' in permit ? undefined : permit
  }
  return {
    async acquire(key, windows, options = {}) {
      const lane = laneOf(key)
      const permit = takeFree(lane, windows)
      if (permit) return permit
      if (lane.waiting > 0) options.onWait?.(pauseOf(lane) ?? { reason: 'budget' })
      return waitForPermit(lane, options, () => acquirePermit(lane, windows))
    },
    acquireNow: (key, windows) => takeFree(laneOf(key), windows),
    pause(key, untilMs) {
      const lane = laneOf(key)
      lane.pausedUntilMs = Math.max(lane.pausedUntilMs, untilMs)
      lane.sleep?.wake()
    },
  }
}

function acquirePermit(lane: Lane, windows: readonly RateWindow[]): RateLease | NoPermit {
  const pause = pauseOf(lane)
  if (pause) return pause
  if (windows.length === 0) return unlimited
  const reservation = reserve(lane.state, windows, steadyNow(), 1)
  if (!reservation.isGranted) return { reason: 'budget', untilMs: reservation.untilMs }
  return createLease(lane, reservation.slots[0] as number)
}

function pauseOf({ pausedUntilMs }: Lane): NoPermit | undefined {
  if (pausedUntilMs === 0 || pausedUntilMs <= steadyNow()) return undefined
  return { reason: 'throttle', untilMs: pausedUntilMs }
}

function createLease(lane: Lane, slot: number): RateLease {
  const { state } = lane
  return {
    sent() {
      markSent(state, slot, steadyNow())
      lane.sleep?.wake()
      return true
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
