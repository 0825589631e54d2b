import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow'

/** One timer, set to the earliest time that somebody has asked for. */
export interface EarliestTimer {
  /** Rings at that time, or at an earlier one that was set before. */
  set(timeMs: number): void
  /** Says so once. */
  hasRung(): boolean
}

/** A timer that is set again and again would stand in the history each time: one that rings too early only does so once. */
export function createEarliestTimer(): EarliestTimer {
  let setMs = Number.POSITIVE_INFINITY
  let isRinging = false
  let scope: CancellationScope | undefined
  const wait = async (timeMs: number, mine: CancellationScope): Promise<void> => {
    try {
      await mine.run(() => sleep(Math.max(1, timeMs - Date.now())))
    } catch (thrown) {
      if (isCancellation(thrown)) return
      throw thrown
    }
    if (scope !== mine) return
    setMs = Number.POSITIVE_INFINITY
    isRinging = true
  }
  return {
    set(timeMs) {
      if (timeMs >= setMs) return
      scope?.cancel()
      setMs = timeMs
      scope = new CancellationScope()
      void wait(timeMs, scope)
    },
    hasRung() {
      const wasRinging = isRinging
      isRinging = false
      return wasRinging
    },
  }
}
