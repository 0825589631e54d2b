import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../../core/events.ts'
import type { ControlRequest } from '../../../core/record/index.ts'
import { type ErrorData, refusedAsItStands } from '../../../core/run-error.ts'
import { systemClock } from '../../attempt/index.ts'
import { createCommitQueue } from '../database/commit-queue.ts'
import { inTransaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { type ControlRequestRow, openControlRequestRows } from '../tables/control-request-rows.ts'
import { openEventLog } from '../tables/event-log.ts'
import { endRun, readStoredRun, type StoredRun } from '../tables/run-rows.ts'
import { leaveUnresolved } from './unresolved-calls.ts'
import { withOwnedRun } from './with-run.ts'

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
  withOwnedRun({ dataDir, runId }, (database, run) => {
    if (isEnded.has(run.status)) throw refusedAsItStands(`${runId} has ended: it is ${run.status}`, runId)
    const nowMs = systemClock.now()
    const add = (): number =>
      openControlRequestRows(database, runId).add({ ...who, kind: 'cancel-now' }, nowMs)
    endCancelled(database, run, { ...who, kind: 'cancel-now', id: add, when: 'no process ran it' }, nowMs)
  })
}

/** Ends a run that this process waits with, as another process has requested. Its clean-up does not run. */
export function cancelWaiting(
  database: DatabaseSyncInstance,
  runId: string,
  request: ControlRequestRow,
  nowMs: number,
): void {
  const run = readStoredRun(database, runId)
  const end = { ...request, id: () => request.id, when: 'it waited in line' }
  if (run) endCancelled(database, run, end, nowMs)
}

/** How a run ends that no process executes. */
interface CancelledEnd extends ControlRequest {
  /** The id of the recorded request. Called in the transaction of the end. */
  readonly id: () => number
  /** The end of "the run was cancelled while ...". */
  readonly when: string
}

function endCancelled(
  database: DatabaseSyncInstance,
  run: StoredRun,
  { kind, by, comment, id, when }: CancelledEnd,
  nowMs: number,
): void {
  const queue = createCommitQueue(database)
  const log = openEventLog(database, queue, run.id)
  const error = { code: 'Cancelled', message: `the run was cancelled while ${when}` } as const
  inTransaction(database, () => {
    leaveUnresolved(database, run, by)
    cancelSteps(database, run.id, error, nowMs)
    sql(database).run`
      UPDATE questions SET status = 'withdrawn' WHERE run_id = ${run.id} AND status = 'open'`
    openControlRequestRows(database, run.id).take(id(), nowMs)
    endRun(database, run.id, { status: 'cancelled', error }, nowMs)
  })
  const times = { run_id: run.id, at: new Date(nowMs).toISOString() }
  const who = { by, ...(comment === undefined ? {} : { comment }) }
  const how = kind === 'cancel-now' ? { is_now: true as const } : {}
  log({ type: 'run_cancelling', ...who, ...how, ...times })
  log({ type: 'run_finished', status: 'cancelled', error, ...times })
  queue.flush()
}

/** Cancels the steps that had begun and not ended. */
function cancelSteps(database: DatabaseSyncInstance, runId: string, error: ErrorData, now: number): void {
  sql(database).run`
    UPDATE steps SET status = 'cancelled', error = json_set(${JSON.stringify(error)}, '$.path', path),
      ended_at = ${now}
    WHERE run_id = ${runId} AND status IN ('running', 'unknown')`
}

const isEnded: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled'])
