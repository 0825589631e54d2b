import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow'
import type { Cancellation } from '../../../core/host/index.ts'

/**
 * Resolves at that time of the workflow, or when `isOver` returns true; that cancels the timer. The handler of an update
 * may call it in a scope that the client has cancelled: the wait continues.
 */
export async function waitUntilTimer(timeMs: number, isOver: () => boolean): Promise<void> {
  const restMs = timeMs - Date.now()
  if (restMs <= 0 || isOver()) return
  await CancellationScope.nonCancellable(async () => {
    const timer = new CancellationScope()
    const fired = timer
      .run(() => sleep(restMs))
      .catch((thrown: unknown) => {
        if (!isCancellation(thrown)) throw thrown
      })
    await Promise.race([fired, condition(isOver)])
    timer.cancel()
  })
}

/** The ends of the time limits of a run. */
export interface Deadlines {
  /** Resolves at that time, or when it is cancelled. */
  until(timeMs: number, cancellation: Cancellation): Promise<void>
  /** At least one time limit is running. */
  isSet(): boolean
}

interface Deadline {
  readonly timeMs: number
  pass(): void
}

/**
 * One timer for all time limits, most of which are never reached. Each call sets its limit anew: a timer for each of them
 * would be two events in the history.
 */
export function createDeadlines({ replayed }: { readonly replayed: Promise<void> }): Deadlines {
  const deadlines = new Set<Deadline>()
  /** When the running timer fires. */
  let watchedMs = Number.POSITIVE_INFINITY
  let watch = 0

  const next = (): number => {
    let nextMs = Number.POSITIVE_INFINITY
    for (const { timeMs } of deadlines) nextMs = Math.min(nextMs, timeMs)
    return nextMs
  }
  const arm = async (): Promise<void> => {
    const mine = ++watch
    watchedMs = next()
    await waitUntilTimer(watchedMs, () => watch !== mine)
    if (watch !== mine) return
    watchedMs = Number.POSITIVE_INFINITY
    const now = Date.now()
    for (const deadline of [...deadlines]) if (deadline.timeMs <= now) deadline.pass()
    if (deadlines.size > 0) void arm()
  }
  return {
    async until(timeMs, cancellation) {
      // A limit that has passed ends everything new, and nothing that is only replayed.
      if (timeMs <= Date.now()) await replayed
      if (cancellation.reason || timeMs <= Date.now()) return
      await new Promise<void>((resolve) => {
        const deadline: Deadline = {
          timeMs,
          pass: () => {
            deadlines.delete(deadline)
            resolve()
          },
        }
        cancellation.onCancel(deadline.pass)
        deadlines.add(deadline)
        if (timeMs < watchedMs) void arm()
      })
    },
    isSet: () => deadlines.size > 0,
  }
}
