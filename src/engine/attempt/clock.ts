import type { Cancellation } from '../../core/cancellation.ts'

/** Where a run takes its time from. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number
  /** Resolves at that time, or as soon as one of these is cancelled. */
  waitUntil(timeMs: number, ...stops: readonly Cancellation[]): Promise<void>
}

/** Timers of Node cannot hold more. */
const longestTimerMs = 2 ** 31 - 1

/** A wall clock that differs from the steady one by more than this has been set, or the machine has slept. */
const jumpMs = 1000

/**
 * The clock of this machine, but for being set back: it goes on from where it was, so that nothing waits an hour longer
 * because somebody has corrected the time. A clock that is set forward, and a machine that slept, have let that time pass.
 */
export function createSystemClock(): Clock {
  const now = createForwardTime()
  return { now, waitUntil: (timeMs, ...stops) => waitUntil(now, timeMs, stops) }
}

/** The one of this process. */
export const systemClock: Clock = createSystemClock()

function createForwardTime(): () => number {
  let [wall, steady] = [Date.now(), performance.now()]
  let setBackMs = 0
  return () => {
    const [wallNow, steadyNow] = [Date.now(), performance.now()]
    const jump = wallNow - wall - (steadyNow - steady)
    if (jump < -jumpMs) setBackMs -= jump
    // It has been set forward again.
    else if (jump > jumpMs) setBackMs = Math.max(0, setBackMs - jump)
    wall = wallNow
    steady = steadyNow
    return wallNow + Math.round(setBackMs)
  }
}

/** Resolves when `now` has come to that time, or when one of the stops is cancelled. `lookMs`: it is looked at least so often. */
export function waitUntil(
  now: () => number,
  timeMs: number,
  stops: readonly Cancellation[],
  lookMs: number = longestTimerMs,
): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined
    const forgets: (() => void)[] = []
    const end = (): void => {
      clearTimeout(timer)
      for (const forget of forgets) forget()
      resolve()
    }
    // Looked at again when the timer fires: it can be early, and the clock can be set.
    const waitOn = (): void => {
      const restMs = timeMs - now()
      if (restMs <= 0) end()
      else timer = setTimeout(waitOn, Math.min(restMs, lookMs))
    }
    waitOn()
    for (const stop of stops) forgets.push(stop.onCancel(end))
  })
}
