import { createCancellation } from '../../core/cancellation.ts'
import { type ErrorData, errorData } from '../../core/run-error.ts'
import type { Clock } from '../../engine/attempt/clock.ts'
import type { ScheduleStore } from '../../engine/embedded/index.ts'
import { decideTurn } from './decide-turn.ts'
import { declared } from './embedded-book.ts'
import type { ScheduleEntry } from './schedule-entry.ts'
import { wallClock } from './wall-clock.ts'

/** What schedules are carried out with. */
export interface SchedulerOptions {
  readonly entries: readonly ScheduleEntry[]
  /** Closing it is the caller's. */
  readonly store: ScheduleStore
  /** Name of the connection of runs whose steps name none, for the record. */
  readonly connection?: string
  /** Told of runs that are on disk and wait to be taken up. */
  readonly onStarted?: (runIds: readonly string[], entry: ScheduleEntry) => void
  /** Told of times that nobody was there for. */
  readonly onMissed?: (missed: readonly number[], entry: ScheduleEntry) => void
  /** Told of a schedule that cannot be looked after at the moment, once until it can. */
  readonly onProblem?: (problem: ErrorData, entry: ScheduleEntry) => void
  /** @default the clock on the wall */
  readonly clock?: Clock
}

/** Starts runs at their times. */
export interface Scheduler {
  /** Declares the schedules, and looks after them until it is stopped. Throws `DataDirUnusable`. */
  start(): void
  /** Looks at once, such as when a run has ended that a time waits for. */
  wake(): void
  /** Resolves when nothing will be started any more. */
  stop(): Promise<void>
}

/** A clock that was set back, or that another process has told something, is noticed after this at the latest. */
const longestWaitMs = 60_000
const againMs = 1000

/**
 * Starts the runs of schedules in this data directory. What each time came to is decided in one transaction with its run,
 * so several processes may do this side by side, and each time counts once.
 */
export function createScheduler({
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

  /** When to look again. */
  const look = (entry: ScheduleEntry): number => {
    const { id, inputs, plan } = entry
    const nowMs = clock.now()
    try {
      const taken = store.take(id, nowMs, {
        decide: (memory) => decideTurn(entry, memory, nowMs),
        ...('problem' in inputs
          ? {}
          : { work: { plan, inputs: inputs.given, ...(connection === undefined ? {} : { connection }) } }),
      })
      inTrouble.delete(id)
      if (taken && taken.started.length > 0) onStarted?.(taken.started, entry)
      if (taken && taken.turn.missed.length > 0) onMissed?.(taken.turn.missed, entry)
      return taken?.turn.wakeAtMs ?? Number.POSITIVE_INFINITY
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
        // A schedule that has a lot to catch up with holds up nobody else.
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
