import {
  createRateState,
  markAnswered,
  markSent,
  type RateState,
  type RateWindow,
  reserve,
} from '../rate-windows.ts'
import type { Continue, Timeline } from './timeline.ts'

/** Calls under rate limits on a timeline. The service answers at once. */
export interface Lanes {
  /** Makes one call as soon as the windows have room, in the order of asking. */
  call(lane: string, windows: readonly RateWindow[], now: number, done: Continue): void
}

interface Lane {
  readonly state: RateState
  /** The callers in their order; the first waits for a place. */
  readonly queue: Continue[]
  isWaiting: boolean
}

export function createLanes(timeline: Timeline): Lanes {
  const lanes = new Map<string, Lane>()

  const serve = (lane: Lane, windows: readonly RateWindow[], now: number): void => {
    lane.isWaiting = false
    for (let next = lane.queue[0]; next !== undefined; next = lane.queue[0]) {
      const reservation = reserve(lane.state, windows, now, 1)
      if (!reservation.isGranted) {
        lane.isWaiting = true
        timeline.at(reservation.untilMs, (later) => serve(lane, windows, later))
        return
      }
      const [slot = 0] = reservation.slots
      markSent(lane.state, slot, now)
      markAnswered(lane.state, slot, now)
      lane.queue.shift()
      timeline.at(now, next)
    }
  }

  return {
    call(key, windows, now, done) {
      const lane = lanes.get(key) ?? { state: createRateState(0), queue: [], isWaiting: false }
      lanes.set(key, lane)
      lane.queue.push(done)
      if (!lane.isWaiting) serve(lane, windows, now)
    },
  }
}
