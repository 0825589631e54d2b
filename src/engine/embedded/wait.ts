import type { Cancellation } from '../../core/cancellation.ts'

/** Timers of Node cannot hold more. */
const longestTimerMs = 2 ** 31 - 1

/** Resolves at that Unix time in milliseconds, or as soon as one of these is cancelled. */
export function waitUntil(timeMs: number, ...stops: readonly Cancellation[]): Promise<void> {
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
      const restMs = timeMs - Date.now()
      if (restMs <= 0) end()
      else timer = setTimeout(waitOn, Math.min(restMs, longestTimerMs))
    }
    waitOn()
    for (const stop of stops) forgets.push(stop.onCancel(end))
  })
}
