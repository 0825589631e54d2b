import type { Cancellation } from '../../../core/cancellation.ts'
import { waitUntil } from './wait-until.ts'
import type { WorkflowMemory } from './workflow-memory.ts'

/** Watches the ends of time limits, most of which never come. */
export interface Alarms {
  /** Resolves at that time, or as soon as it is cancelled. */
  until(timeMs: number, cancellation: Cancellation): Promise<void>
  /** Something has a limit now. */
  readonly isSet: boolean
}

interface Alarm {
  readonly timeMs: number
  ring(): void
}

/**
 * One timer for all limits. A limit is set anew for each call that it measures: as a timer of its own each would stand
 * in the history twice, and mostly for nothing.
 */
export function createAlarms({ replayed }: Pick<WorkflowMemory, 'replayed'>): Alarms {
  const alarms = new Set<Alarm>()
  /** When the timer that runs will ring. */
  let watchedMs = Number.POSITIVE_INFINITY
  let watch = 0

  const next = (): number => {
    let nextMs = Number.POSITIVE_INFINITY
    for (const { timeMs } of alarms) nextMs = Math.min(nextMs, timeMs)
    return nextMs
  }
  const arm = async (): Promise<void> => {
    const mine = ++watch
    watchedMs = next()
    await waitUntil(watchedMs, () => watch !== mine)
    if (watch !== mine) return
    watchedMs = Number.POSITIVE_INFINITY
    const now = Date.now()
    for (const alarm of [...alarms]) if (alarm.timeMs <= now) alarm.ring()
    if (alarms.size > 0) void arm()
  }
  return {
    async until(timeMs, cancellation) {
      // A limit that is over already cuts off everything new, and nothing that only has to be replayed.
      if (timeMs <= Date.now()) await replayed
      if (cancellation.reason || timeMs <= Date.now()) return
      await new Promise<void>((resolve) => {
        const alarm: Alarm = {
          timeMs,
          ring: () => {
            alarms.delete(alarm)
            resolve()
          },
        }
        cancellation.onCancel(alarm.ring)
        alarms.add(alarm)
        if (timeMs < watchedMs) void arm()
      })
    },
    get isSet() {
      return alarms.size > 0
    },
  }
}
