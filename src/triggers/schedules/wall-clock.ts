import { type Clock, waitUntil } from '../../engine/attempt/clock.ts'

/** How long a clock that is set, or a machine that sleeps, can go unnoticed. */
const lookMs = 1000

/**
 * The clock on the wall: a schedule goes by it, also where it is set back. Other clocks of a run do not, so that nothing
 * waits longer than it should.
 */
export const wallClock: Clock = {
  now: () => Date.now(),
  waitUntil: (timeMs, ...stops) => waitUntil(Date.now, timeMs, stops, lookMs),
}
