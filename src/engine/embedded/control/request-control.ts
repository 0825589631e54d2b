import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { type ControlRequest, refusedAsOver } from '../../../core/record/index.ts'
import { RunbookError, refusedAsItStands } from '../../../core/run-error.ts'
import { systemClock } from '../../attempt/index.ts'
import { hasDatabase, inTransaction, openDatabase } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { isOwned } from '../run/ownership.ts'
import { openControlRequestRows } from '../tables/control-request-rows.ts'
import { isWaitingHere, noSuchRun, readRunStatus } from '../tables/run-rows.ts'

/** A control request for a run that another process executes. */
export interface ControlOptions extends ControlRequest {
  readonly dataDir: string
  readonly runId: string
}

/** How long the process of the run may take to claim the request. */
const maxWaitMs = 5000
const pollMs = 50

/**
 * Sends a control request to the process that executes the run. Resolves with `true` when that process has claimed it.
 * Resolves with `false`, and records nothing, if no process executes the run.
 *
 * Rejects with `InvalidInput` if there is no such run, or if it has ended.
 */
export async function requestControl({
  dataDir,
  runId,
  ...controlRequest
}: ControlOptions): Promise<boolean> {
  if (!hasDatabase(dataDir)) throw noSuchRun({ dataDir, runId })
  const database = openDatabase(dataDir)
  try {
    const id = inTransaction(database, () => {
      requireOpen(database, dataDir, runId)
      return isOwned(dataDir, runId)
        ? openControlRequestRows(database, runId).add(controlRequest, systemClock.now())
        : undefined
    })
    return id !== undefined && (await waitUntilTaken(database, dataDir, runId, id))
  } finally {
    database.close()
  }
}

function requireOpen(database: DatabaseSyncInstance, dataDir: string, runId: string): void {
  const status = readRunStatus(database, runId)
  if (status === undefined) throw noSuchRun({ dataDir, runId })
  if (isWaitingHere(database, runId) && isOwned(dataDir, runId)) return
  if (status !== 'running' && status !== 'interrupted' && status !== 'unknown')
    throw refusedAsOver(runId, status)
}

async function waitUntilTaken(
  database: DatabaseSyncInstance,
  dataDir: string,
  runId: string,
  id: number,
): Promise<boolean> {
  const withdraw = (): number =>
    sql(database).run`DELETE FROM control_requests WHERE id = ${id} AND taken_at IS NULL`
  const endMs = systemClock.now() + maxWaitMs
  for (;;) {
    const row = sql(database).get`SELECT taken_at, over_at FROM control_requests WHERE id = ${id}`
    if (row?.['taken_at'] != null) return true
    if (row?.['over_at'] != null)
      throw refusedAsItStands(`${runId} ended before it received the request`, runId)
    if (!isOwned(dataDir, runId) && withdraw() > 0) return false
    if (systemClock.now() > endMs) throw notTaken(runId)
    await sleep(pollMs)
  }
}

function notTaken(runId: string): RunbookError {
  const message = `the process that runs ${runId} does not answer; it receives the request when it does`
  return new RunbookError('RunInUse', message, { notSent: true })
}
