import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../core/record/identity.ts'
import { refusedAsItStands } from '../../core/record/refused.ts'
import { createCommitQueue } from './commit-queue.ts'
import { openControlRequestRows } from './control-request-rows.ts'
import { hasDatabase, openDatabase } from './database.ts'
import { openEventLog } from './event-log.ts'
import { inTransaction } from './in-transaction.ts'
import { leaveUndecided } from './leave-undecided.ts'
import { noRun } from './no-run.ts'
import { takeOwnership } from './ownership.ts'
import { endRun, readRunStatus, readStoredRun } from './run-rows.ts'

/** Whose control request it is to end a run that nobody carries out. */
export interface CloseOptions {
  readonly dataDir: string
  readonly runId: string
  readonly by: Identity
  readonly comment?: string
}

/**
 * Cancels a run that no process carries out, at once and without its clean-up: it only gets that status. What nobody is
 * sure of stays so.
 *
 * Rejects with `RunInUse` while a process carries it out, and with `InvalidInput` where it has ended.
 */
export async function closeRun({ dataDir, runId, ...who }: CloseOptions): Promise<void> {
  if (!hasDatabase(dataDir)) throw noRun({ dataDir, runId })
  const database = openDatabase(dataDir)
  try {
    if (!readRunStatus(database, runId)) throw noRun({ dataDir, runId })
    const ownership = takeOwnership(dataDir, runId)
    let isOver = false
    try {
      const queue = createCommitQueue(database)
      const log = openEventLog(database, queue, runId)
      const run = readStoredRun(database, runId)
      if (!run || isEnded.has(run.status))
        throw refusedAsItStands(`${runId} has ended: it is ${run?.status}`, runId)
      const now = Date.now()
      inTransaction(database, () => {
        leaveUndecided(database, run, who.by)
        cancelSteps(database, runId, now)
        database
          .prepare("UPDATE questions SET status = 'withdrawn' WHERE run_id = ? AND status = 'open'")
          .run(runId)
        const controlRequests = openControlRequestRows(database, runId)
        controlRequests.take(controlRequests.add({ ...who, kind: 'cancel-now' }, now), now)
        endRun(database, runId, { status: 'cancelled', error }, now)
      })
      isOver = true
      const times = { run_id: runId, at: new Date(now).toISOString() }
      log.write({ type: 'run_cancelling', ...who, is_now: true, ...times })
      log.write({ type: 'run_finished', status: 'cancelled', error, ...times })
      queue.flush()
    } finally {
      ownership.release(isOver)
    }
  } finally {
    database.close()
  }
}

/** Nothing of the run goes on: what had begun and not ended is cancelled with it. */
function cancelSteps(database: DatabaseSyncInstance, runId: string, now: number): void {
  database
    .prepare(
      `UPDATE steps SET status = 'cancelled', error = json_set(?, '$.path', path), ended_at = ?
       WHERE run_id = ? AND status IN ('running', 'unknown')`,
    )
    .run(JSON.stringify(error), now, runId)
}

const isEnded: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled'])

const error = { code: 'Cancelled', message: 'the run was cancelled while no process carried it out' } as const
