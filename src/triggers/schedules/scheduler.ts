import { createCancellation } from '../../core/host/index.ts'
import { type ErrorData, errorData } from '../../core/run-error.ts'
import { type Clock, waitUntil } from '../../engine/attempt/index.ts'
import type { ScheduleTable } from '../../engine/embedded/index.ts'
import { declared } from './embedded-schedule-store.ts'
import { evaluateSchedule } from './evaluate-schedule.ts'
import type { ScheduleEntry } from './schedule-entry.ts'

/** What a scheduler runs with. */
export interface SchedulerOptions {
  readonly entries: readonly ScheduleEntry[]
  /** The caller closes it. */
  readonly store: ScheduleTable
  /** Name of the connection of runs whose steps name none, for the record. */
  readonly connection?: string
  /** Receives the queued runs, which are on disk. */
  readonly onStarted?: (runIds: readonly string[], entry: ScheduleEntry) => void
  /** Receives the missed times. */
  readonly onMissed?: (missed: readonly number[], entry: ScheduleEntry) => void
  /** Receives a schedule that fails, once until it works again. */
  readonly onProblem?: (problem: ErrorData, entry: ScheduleEntry) => void
  /** @default the wall clock */
  readonly clock?: Clock
}

/** Starts runs at their times. */
export interface Scheduler {
  /** Declares the schedules, and starts their runs until it is stopped. Throws `DataDirUnusable`. */
  start(): void
  /** Checks now, such as after the end of a run that a time waits for. */
  wake(): void
  /** Resolves once no more runs will be started. */
  stop(): Promise<void>
}

/** A clock that was set back, or a change by another process, is noticed within this time. */
const longestWaitMs = 60_000
const againMs = 1000

/**
 * Starts the runs of schedules in this data directory. One transaction records the result of a time with its run, so
 * several processes may do this at the same time, and each time counts once.
 */
export function createTriggerScheduler({
  entries,
  store,
  connection,
  onStarted,
  onMissed,
  onProblem,
  clock = wallClock,
}: SchedulerOptions): Scheduler {
  const stopped = createCancellation()
  const inTrouble = new Set<string>()
  let waiting = createCancellation(stopped)
  let ended: Promise<void> = Promise.resolve()

  /** When to check again. */
  const look = (entry: ScheduleEntry): number => {
    const { id, inputs, plan } = entry
    const nowMs = clock.now()
    try {
      const taken = store.take(id, nowMs, {
        decide: (memory) => evaluateSchedule(entry, memory, nowMs),
        ...('problem' in inputs
          ? {}
          : { work: { plan, inputs: inputs.given, ...(connection === undefined ? {} : { connection }) } }),
      })
      inTrouble.delete(id)
      if (taken && taken.started.length > 0) onStarted?.(taken.started, entry)
      if (taken && taken.evaluation.missed.length > 0) onMissed?.(taken.evaluation.missed, entry)
      return taken?.evaluation.wakeAtMs ?? Number.POSITIVE_INFINITY
    } catch (thrown) {
      if (!inTrouble.has(id)) onProblem?.(errorData(thrown), entry)
      inTrouble.add(id)
      return nowMs + againMs
    }
  }

  const lookAfter = async (): Promise<void> => {
    while (!stopped.reason) {
      waiting = createCancellation(stopped)
      let wakeAtMs = clock.now() + longestWaitMs
      for (const entry of entries) {
        wakeAtMs = Math.min(wakeAtMs, look(entry))
        // A schedule with many missed times does not delay the others.
        await new Promise((resolve) => setImmediate(resolve))
        if (stopped.reason) return
      }
      await clock.waitUntil(wakeAtMs, waiting)
      waiting.close()
    }
  }

  return {
    start() {
      store.declare(entries.map(declared), clock.now())
      ended = lookAfter()
    },
    wake: () => waiting.cancel({ code: 'Interrupted', message: 'something has changed' }),
    async stop() {
      stopped.cancel({ code: 'Interrupted', message: 'the scheduler was asked to stop' })
      await ended
    },
  }
}

/** How long a clock change, or a sleeping machine, goes unnoticed. */
const lookMs = 1000

/**
 * The wall clock: a schedule follows it, also where it is set back. Other clocks of a run do not, so that no wait
 * gets longer.
 */
const wallClock: Clock = {
  now: () => Date.now(),
  waitUntil: (timeMs, ...stops) => waitUntil(Date.now, timeMs, stops, lookMs),
}

/** Work that runs beside the hooks in `serve`: the scheduler, the delivery of messages. */
export interface BackgroundWork {
  /** Starts the work. A rejection ends `serve` before it accepts any event. */
  start(): Promise<void>
  /** Starts nothing new, and resolves when the current work is done. */
  stop(): Promise<void>
}
