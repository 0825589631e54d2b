import { CancellationScope, scheduleLocalActivity, sleep } from '@temporalio/workflow'
import { type KeptPage, keepLogActivity, type RunStateAnswer } from '../messages.ts'
import type { Recorder } from './create-recorder.ts'

/** Writes the log of an execution into its history. */
export interface LogWriter {
  /** Resolves when the history holds all events so far. `state`: returns where the run stands, once it has ended. */
  write(state?: () => RunStateAnswer): Promise<void>
}

/**
 * Writes what the recorder of this execution holds; `lastSeq` is the number of the last event before it. A local activity
 * returns each page, and the SDK records its result in a marker: that takes neither a task queue nor another worker.
 */
export function createLogWriter({ page }: Pick<Recorder, 'page'>, lastSeq: number): LogWriter {
  let last = lastSeq
  let pages = 0
  const writePage = async (state?: () => RunStateAnswer): Promise<void> => {
    // A workflow task may bring the server 4 MiB: the timer gives each further page a task of its own.
    if (pages > 0) await sleep(1)
    const { events, isMore } = page(last)
    const kept: KeptPage = { events, before: pages++, ...(state && !isMore ? { state: state() } : {}) }
    last = events.at(-1)?.seq ?? last
    await scheduleLocalActivity(keepLogActivity, [kept], { startToCloseTimeout: '1 minute' })
  }
  return {
    write: (state) =>
      // A run that the server was asked to cancel keeps its log, too.
      CancellationScope.nonCancellable(async () => {
        do await writePage(state)
        while (page(last).events.length > 0)
      }),
  }
}
