import { longestTimerMs } from '../../api/pacing/index.ts'
import type { Cancellation } from '../../core/host/index.ts'

/** The source of time of a run. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number
  /** Resolves at that time, or when one of the stops is cancelled. */
  waitUntil(timeMs: number, ...stops: readonly Cancellation[]): Promise<void>
}

/** With a larger difference from the steady clock, the wall clock was set or the machine was suspended. */
const jumpMs = 1000

/**
 * The clock of this machine, which never goes back. If the wall clock is set back, time continues from where it was, so
 * that no wait becomes an hour longer. A clock that is set forward lets that time pass, and so does a suspended
 * machine.
 */
export function createSystemClock(): Clock {
  const now = createForwardTime()
  return { now, waitUntil: (timeMs, ...stops) => waitUntil(now, timeMs, stops) }
}

/** The clock of this process. */
export const systemClock: Clock = createSystemClock()

function createForwardTime(): () => number {
  let [wall, steady] = [Date.now(), performance.now()]
  let setBackMs = 0
  return () => {
    const [wallNow, steadyNow] = [Date.now(), performance.now()]
    const jump = wallNow - wall - (steadyNow - steady)
    if (jump < -jumpMs) setBackMs -= jump
    // The wall clock was set forward again.
    else if (jump > jumpMs) setBackMs = Math.max(0, setBackMs - jump)
    wall = wallNow
    steady = steadyNow
    return wallNow + Math.round(setBackMs)
  }
}

/**
 * Resolves when `now` reaches that time, or when one of the stops is cancelled. `pollMs`: the longest time between two
 * looks at the clock.
 */
export function waitUntil(
  now: () => number,
  timeMs: number,
  stops: readonly Cancellation[],
  pollMs: number = longestTimerMs,
): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined
    const forgets: (() => void)[] = []
    const end = (): void => {
      clearTimeout(timer)
      for (const forget of forgets) forget()
      resolve()
    }
    // A timer can fire early, and the clock can be set, so the time is checked again.
    const waitOn = (): void => {
      const restMs = timeMs - now()
      if (restMs <= 0) end()
      else timer = setTimeout(waitOn, Math.min(restMs, pollMs))
    }
    waitOn()
    for (const stop of stops) forgets.push(stop.onCancel(end))
  })
}
