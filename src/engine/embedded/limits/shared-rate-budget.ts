import {
  createWaitingLane,
  type RateBudget,
  type WaitingLane,
  waitForPermit,
} from '../../../api/pacing/index.ts'
import type { Permits } from './permits.ts'

/**
 * The rate budget of all processes of a data directory. Callers of one key in this process wait by priority and in
 * order. The first of them asks until it gets a permit, as those of the other processes do.
 */
export function createSharedRateBudget(permits: Permits): RateBudget {
  const lanes = new Map<string, WaitingLane>()
  const laneOf = (key: string): WaitingLane => {
    const lane = lanes.get(key) ?? createWaitingLane()
    lanes.set(key, lane)
    return lane
  }
  return {
    async acquire(key, windows, options = {}) {
      const lane = laneOf(key)
      const ask = (): ReturnType<Permits['take']> => permits.take(key, windows, () => lane.sleep?.wake())
      if (lane.waiting > 0) options.onWait?.({ reason: 'budget' })
      else {
        const permit = ask()
        if (!('untilMs' in permit)) return permit
      }
      return waitForPermit(lane, options, ask)
    },
    pause(key, untilMs) {
      permits.pause(key, untilMs)
      lanes.get(key)?.sleep?.wake()
    },
  }
}
