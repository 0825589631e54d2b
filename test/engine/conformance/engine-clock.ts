import type { Clock } from 'opsbook'

/** Time for an engine in a test: it passes only while nothing else is left to do. */
export interface EngineClock extends Clock {
  /** Runs the work to its end. Rejects where everything waits for something that never happens. */
  run<T>(work: Promise<T>): Promise<T>
}

interface Sleeper {
  readonly timeMs: number
  readonly wake: () => void
}

export function createEngineClock(startMs: number): EngineClock {
  const sleepers = new Set<Sleeper>()
  let now = startMs

  const nextSleeper = (): Sleeper | undefined => {
    let next: Sleeper | undefined
    for (const sleeper of sleepers)
      if (sleeper.timeMs < (next?.timeMs ?? Number.POSITIVE_INFINITY)) next = sleeper
    return next
  }
  return {
    now: () => now,
    waitUntil(timeMs, ...stops) {
      if (timeMs <= now) return Promise.resolve()
      return new Promise((resolve) => {
        const forgets: (() => void)[] = []
        const wake = (): void => {
          sleepers.delete(sleeper)
          for (const forget of forgets) forget()
          resolve()
        }
        const sleeper = { timeMs, wake }
        sleepers.add(sleeper)
        for (const stop of stops) forgets.push(stop.onCancel(wake))
      })
    },
    async run(work) {
      let isSettled = false
      const settle = (): void => {
        isSettled = true
      }
      work.then(settle, settle)
      for (;;) {
        await nothingLeftToDo()
        if (isSettled) return work
        const next = nextSleeper()
        if (!next) throw new Error('everything waits for something that never happens')
        now = next.timeMs
        next.wake()
      }
    },
  }
}

/** Commits are made in turns of the event loop, files are written by requests to the system. */
const isWork = /^(Immediate|FS|FileHandle|Close)/

/** All promises have continued, all commits are made, all files are written. */
async function nothingLeftToDo(): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve))
  while (process.getActiveResourcesInfo().some((name) => isWork.test(name)))
}
