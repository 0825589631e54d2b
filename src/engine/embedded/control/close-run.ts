import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { type Identity, refusedAsItStands } from '../../../core/record/index.ts'
import { createCommitQueue } from '../database/commit-queue.ts'
import { hasDatabase, inTransaction, openDatabase } from '../database/database.ts'
import { takeOwnership } from '../run/ownership.ts'
import { type ControlRequestRow, openControlRequestRows } from '../tables/control-request-rows.ts'
import { openEventLog } from '../tables/event-log.ts'
import { endRun, noSuchRun, readRunStatus, readStoredRun } from '../tables/run-rows.ts'
import { leaveUnresolved } from './unresolved-calls.ts'

/** Who closes a run that no process executes. */
export interface CloseOptions {
  readonly dataDir: string
  readonly runId: string
  readonly by: Identity
  readonly comment?: string
}

/**
 * Cancels a run that no process executes, without its clean-up. Only its record changes, and unknown outcomes stay
 * unknown.
 *
 * Rejects with `RunInUse` while a process executes the run, and with `InvalidInput` if it has ended.
 */
export async function closeRun({ dataDir, runId, ...who }: CloseOptions): Promise<void> {
  if (!hasDatabase(dataDir)) throw noSuchRun({ dataDir, runId })
  const database = openDatabase(dataDir)
  try {
    if (!readRunStatus(database, runId)) throw noSuchRun({ dataDir, runId })
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
        leaveUnresolved(database, run, who.by)
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

/** Ends a run that this process waits with, as another process has requested. */
export function cancelWaiting(
  database: DatabaseSyncInstance,
  runId: string,
  { id, kind, by, comment }: ControlRequestRow,
  nowMs: number,
): void {
  const queue = createCommitQueue(database)
  const log = openEventLog(database, queue, runId)
  const error = { code: 'Cancelled', message: 'the run was cancelled while it waited for its turn' } as const
  inTransaction(database, () => {
    openControlRequestRows(database, runId).take(id, nowMs)
    endRun(database, runId, { status: 'cancelled', error }, nowMs)
  })
  const times = { run_id: runId, at: new Date(nowMs).toISOString() }
  const who = { by, ...(comment === undefined ? {} : { comment }) }
  log.write({
    type: 'run_cancelling',
    ...who,
    ...(kind === 'cancel-now' ? { is_now: true as const } : {}),
    ...times,
  })
  log.write({ type: 'run_finished', status: 'cancelled', error, ...times })
  queue.flush()
}

/** Cancels the steps that had begun and not ended. */
function cancelSteps(database: DatabaseSyncInstance, runId: string, now: number): void {
  database
    .prepare(
      `UPDATE steps SET status = 'cancelled', error = json_set(?, '$.path', path), ended_at = ?
       WHERE run_id = ? AND status IN ('running', 'unknown')`,
    )
    .run(JSON.stringify(error), now, runId)
}

const isEnded: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled'])

const error = { code: 'Cancelled', message: 'the run was cancelled while no process ran it' } as const
