import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { ControlRequest } from '../../core/record/control-request.ts'
import { refusedAsItStands, refusedAsOver } from '../../core/record/refused.ts'
import { RunbookError } from '../../core/run-error.ts'
import { openControlRequestRows } from './control-request-rows.ts'
import { hasDatabase, openDatabase } from './database.ts'
import { inTransaction } from './in-transaction.ts'
import { noRun } from './no-run.ts'
import { isOwned } from './ownership.ts'
import { readRunStatus } from './run-rows.ts'

/** What is wanted of a run that another process carries out. */
export interface ControlOptions extends ControlRequest {
  readonly dataDir: string
  readonly runId: string
}

/** How long the process that carries a run out may take until it looks. */
const patienceMs = 5000
const lookMs = 50

/**
 * Tells the process that carries a run out what somebody wants. Resolves once it has taken it up, with `true`; with
 * `false`, and nothing recorded, where no process carries the run out.
 *
 * Rejects with `InvalidInput` where there is no such run, or where it has ended.
 */
export async function requestControl({
  dataDir,
  runId,
  ...controlRequest
}: ControlOptions): Promise<boolean> {
  if (!hasDatabase(dataDir)) throw noRun({ dataDir, runId })
  const database = openDatabase(dataDir)
  try {
    const id = inTransaction(database, () => {
      requireOpen(database, dataDir, runId)
      return isOwned(dataDir, runId)
        ? openControlRequestRows(database, runId).add(controlRequest, Date.now())
        : undefined
    })
    return id !== undefined && (await untilTaken(database, dataDir, runId, id))
  } finally {
    database.close()
  }
}

function requireOpen(database: DatabaseSyncInstance, dataDir: string, runId: string): void {
  const status = readRunStatus(database, runId)
  if (status === undefined) throw noRun({ dataDir, runId })
  if (status !== 'running' && status !== 'interrupted' && status !== 'unknown') {
    throw refusedAsOver(runId, status)
  }
}

async function untilTaken(
  database: DatabaseSyncInstance,
  dataDir: string,
  runId: string,
  id: number,
): Promise<boolean> {
  const select = database.prepare('SELECT taken_at, over_at FROM control_requests WHERE id = ?')
  const withdraw = database.prepare('DELETE FROM control_requests WHERE id = ? AND taken_at IS NULL')
  const endMs = Date.now() + patienceMs
  for (;;) {
    const row = select.get(id)
    if (row?.['taken_at'] != null) return true
    if (row?.['over_at'] != null) throw refusedAsItStands(`${runId} ended before it could be told`, runId)
    if (!isOwned(dataDir, runId) && withdraw.run(id).changes > 0) return false
    if (Date.now() > endMs) throw notTaken(runId)
    await sleep(lookMs)
  }
}

function notTaken(runId: string): RunbookError {
  const message = `the process that carries out ${runId} does not answer; it will be told as soon as it does`
  return new RunbookError('RunInUse', message, { notSent: true })
}
