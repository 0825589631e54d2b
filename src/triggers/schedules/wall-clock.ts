import type { Cancellation } from '../../core/cancellation.ts'
import type { Clock } from '../../engine/attempt/clock.ts'

/** How long a clock that is set, or a machine that sleeps, can go unnoticed. */
const lookMs = 1000

/**
 * The clock on the wall: a schedule goes by it, also where it is set back. Other clocks of a run do not, so that nothing
 * waits longer than it should.
 */
export const wallClock: Clock = {
  now: () => Date.now(),
  waitUntil: (timeMs, ...stops) => waitUntil(timeMs, stops),
}

function waitUntil(timeMs: number, stops: readonly Cancellation[]): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined
    const forgets: (() => void)[] = []
    const end = (): void => {
      clearTimeout(timer)
      for (const forget of forgets) forget()
      resolve()
    }
    const waitOn = (): void => {
      const restMs = timeMs - Date.now()
      if (restMs <= 0) end()
      else timer = setTimeout(waitOn, Math.min(restMs, lookMs))
    }
    waitOn()
    for (const stop of stops) forgets.push(stop.onCancel(end))
  })
}
