import {
  createRateState,
  markAnswered,
  markSent,
  type RateState,
  type RateWindow,
  removeSlot,
  reserve,
} from '../core/rate-windows.ts'
import { RunbookError } from '../core/run-error.ts'
import type { AcquireOptions, RateBudget, RateLease } from './rate-budget.ts'
import { createTurns, type Turns } from './turns.ts'
import { type CallWait, type Sleep, sleepUntil, steadyNow } from './waits.ts'

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
interface Lane {
  readonly state: RateState
  /** The one at the head sleeps until there is a place; the others wait behind it, by priority. */
  readonly head: Turns
  waiting: number
  pausedUntilMs: number
  sleep: Sleep | undefined
}

type KnownWait = CallWait & { readonly untilMs: number }

/** A rate budget for the clients of one process. Give the same one to all of them. */
export function createRateBudget({ marginMs = 2000 }: RateBudgetOptions = {}): RateBudget {
  const lanes = new Map<string, Lane>()
  const laneOf = (key: string): Lane => {
    const known = lanes.get(key)
    if (known) return known
    const lane: Lane = {
      state: createRateState(marginMs),
      head: createTurns(1),
      waiting: 0,
      pausedUntilMs: 0,
      sleep: undefined,
    }
    lanes.set(key, lane)
    return lane
  }
  return {
    async acquire(key, windows, options = {}) {
      const lane = laneOf(key)
      if (lane.waiting > 0) options.onWait?.(pauseOf(lane) ?? { reason: 'budget' })
      else {
        const place = takePlace(lane, windows)
        if (!('untilMs' in place)) return place
      }
      return waitInLane(lane, windows, options)
    },
    pause(key, untilMs) {
      const lane = laneOf(key)
      lane.pausedUntilMs = Math.max(lane.pausedUntilMs, untilMs)
      lane.sleep?.wake()
    },
  }
}

async function waitInLane(
  lane: Lane,
  windows: readonly RateWindow[],
  options: AcquireOptions,
): Promise<RateLease> {
  lane.waiting++
  try {
    const leaveHead = await lane.head.take(options)
    try {
      return await waitForPlace(lane, windows, options)
    } finally {
      leaveHead()
    }
  } finally {
    lane.waiting--
  }
}

async function waitForPlace(
  lane: Lane,
  windows: readonly RateWindow[],
  options: AcquireOptions,
): Promise<RateLease> {
  let told: KnownWait | undefined
  while (true) {
    const place = takePlace(lane, windows)
    if (!('untilMs' in place)) return place
    const waitMs = place.untilMs - steadyNow()
    if (waitMs > (options.maxWaitMs ?? Number.POSITIVE_INFINITY)) throw tooLong(place.reason, waitMs)
    // Every answer to somebody else moves the expected end a little: that is no news.
    if (told?.reason !== place.reason || Math.abs(told.untilMs - place.untilMs) > 1000) {
      told = place
      options.onWait?.(place)
    }
    lane.sleep = sleepUntil(place.untilMs, options.signal)
    try {
      await lane.sleep.isOver
    } finally {
      lane.sleep = undefined
    }
  }
}

function takePlace(lane: Lane, windows: readonly RateWindow[]): RateLease | KnownWait {
  const pause = pauseOf(lane)
  if (pause) return pause
  if (windows.length === 0) return unlimited
  const reservation = reserve(lane.state, windows, steadyNow(), 1)
  if (!reservation.isGranted) return { reason: 'budget', untilMs: reservation.untilMs }
  return createLease(lane, reservation.slots[0] as number)
}

function pauseOf({ pausedUntilMs }: Lane): KnownWait | undefined {
  if (pausedUntilMs === 0 || pausedUntilMs <= steadyNow()) return undefined
  return { reason: 'throttle', untilMs: pausedUntilMs }
}

const unlimited: RateLease = { sent() {}, done() {}, cancel() {} }

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

/** The error of a wait that is longer than the caller allows. Nothing was sent. */
export function tooLong(reason: CallWait['reason'], waitMs: number): RunbookError {
  const why = reason === 'throttle' ? 'the service asked to wait' : 'the rate limit is used up'
  const message = `${why}: the next call is possible in ${Math.ceil(waitMs / 1000)} s, longer than the time allowed for waiting`
  return new RunbookError('RequestTooFrequently', message, { notSent: true, retryAfterMs: Math.ceil(waitMs) })
}
