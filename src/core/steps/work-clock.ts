import { type Cancellation, createCancellation } from '../host/cancellation.ts'
import type { Host } from '../host/host.ts'
import type { ErrorData } from '../run-error.ts'

/**
 * Counts working time. The clock stops while all work waits for the rate budget, a target, the end of a throttle or a
 * person.
 */
export interface WorkClock {
  /** Something begins to work. */
  begin(): void
  /** It has ended, or waits. Once for each `begin`. */
  end(): void
  /**
   * Something worked from then till then, by the record: counted where the clock did not run, as in a run that is
   * resumed and gets its answers from the journal.
   */
  past(fromMs: number, toMs: number): void
}

/** A clock without a limit. */
export const noClock: WorkClock = { begin() {}, end() {}, past() {} }

/** What a clock with a limit needs. */
export interface WorkLimit {
  readonly limitMs: number
  readonly path: string
  readonly host: Pick<Host, 'now' | 'sleepUntil' | 'workingTimes'>
  /** Runs along. */
  readonly parent: WorkClock
  /** Called once, when the working time is over the limit. */
  onOver(): void
}

/** A clock with a limit. */
export interface LimitedClock extends WorkClock {
  /** The limit was over before the run came here: what is recalled has been cut off by it. */
  readonly wasOver: boolean
  close(): void
}

/** Makes a clock with a limit. Close it when what it measures has ended. */
export function createWorkClock(limit: WorkLimit): LimitedClock {
  const { limitMs, path, host, parent } = limit
  const workedBefore = host.workingTimes.workedBefore(path)
  let workers = 0
  let worked = workedBefore ?? 0
  let since = 0
  /** What came before is known from the record only. */
  const createdMs = host.now()
  /** Up to then the record has been counted, or does not count. */
  let countedTo =
    workedBefore === undefined ? (host.workingTimes.countsFrom(path) ?? Number.NEGATIVE_INFINITY) : createdMs
  let deadline = createCancellation()

  const watch = async (timeMs: number, disarmed: Cancellation): Promise<void> => {
    // A process that stops here ends the work itself; there is nothing left to measure.
    await host
      .sleepUntil(timeMs, { path, reason: 'timeout' }, disarmed)
      .catch(() => deadline.cancel(measured))
    if (!disarmed.reason) limit.onOver()
  }
  const arm = (): void => {
    since = host.now()
    deadline = createCancellation()
    void watch(since + Math.max(limitMs - worked, 0), deadline)
  }
  const stop = (): void => {
    worked += Math.max(host.now() - since, 0)
    deadline.cancel(measured)
  }
  const wasOver = worked >= limitMs
  // Nothing needs to begin again for a limit that is over already.
  if (wasOver) void watch(createdMs, deadline)
  return {
    wasOver,
    begin() {
      parent.begin()
      workers++
      if (workers === 1) arm()
    },
    end() {
      parent.end()
      workers--
      if (workers === 0) stop()
    },
    past(fromMs, toMs) {
      parent.past(fromMs, toMs)
      const untilMs = Math.min(toMs, createdMs)
      if (untilMs <= Math.max(fromMs, countedTo)) return
      if (workers > 0) stop()
      worked += untilMs - Math.max(fromMs, countedTo)
      countedTo = untilMs
      if (worked >= limitMs) limit.onOver()
      else if (workers > 0) arm()
    },
    close() {
      deadline.cancel(measured)
      host.workingTimes.keep(path, worked)
    },
  }
}

const measured: ErrorData = { code: 'Cancelled', message: 'the work has ended' }
