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

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  waitUntil: (timeMs, ...stops) =>
    new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined
      const forgets: (() => void)[] = []
      const end = (): void => {
        clearTimeout(timer)
        for (const forget of forgets) forget()
        resolve()
      }
      // Looked at again when the timer fires: it can be early, and the clock can be set.
      const waitOn = (): void => {
        const restMs = timeMs - Date.now()
        if (restMs <= 0) end()
        else timer = setTimeout(waitOn, Math.min(restMs, longestTimerMs))
      }
      waitOn()
      for (const stop of stops) forgets.push(stop.onCancel(end))
    }),
}
