import { CancellationScope, scheduleLocalActivity, sleep } from '@temporalio/workflow'
import { type KeptPage, keepLogActivity, type RunStateAnswer } from '../messages.ts'
import type { Recorder } from './create-recorder.ts'

/** Leaves the log of an execution in its history. */
export interface KeptLog {
  /** Resolves when the history holds all events so far. `state`: how the run stands, where it has ended. */
  write(state?: () => RunStateAnswer): Promise<void>
}

/**
 * The log of this execution, whose last event before it has the number `lastSeq`. A local activity returns each page, and
 * only the result of a local activity is recorded: a marker, for which neither a queue nor another worker is needed.
 */
export function createKeptLog({ page }: Pick<Recorder, 'page'>, lastSeq: number): KeptLog {
  let last = lastSeq
  let pages = 0
  const writePage = async (state?: () => RunStateAnswer): Promise<void> => {
    // A task may bring the server 4 MiB: each further page goes with a task of its own.
    if (pages > 0) await sleep(1)
    const { events, isMore } = page(last)
    const kept: KeptPage = { events, before: pages++, ...(state && !isMore ? { state: state() } : {}) }
    last = events.at(-1)?.seq ?? last
    await scheduleLocalActivity(keepLogActivity, [kept], { startToCloseTimeout: '1 minute' })
  }
  return {
    write: (state) =>
      // Also of a run that the server was asked to cancel.
      CancellationScope.nonCancellable(async () => {
        do await writePage(state)
        while (page(last).events.length > 0)
      }),
  }
}
