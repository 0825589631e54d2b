import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { noSecrets, requireSecrets } from '../../actions/secret-store.ts'
import { keyTaken } from '../../core/record/key-taken.ts'
import { canonicalHash } from '../attempt/canonical-hash.ts'
import { systemClock } from '../attempt/clock.ts'
import { openConnections } from '../attempt/connections.ts'
import { refuseWhatCannotWork } from '../attempt/refuse-what-cannot-work.ts'
import type { RunHandle } from '../record/run-handle.ts'
import { createRunId } from '../record/run-id.ts'
import { openDatabase } from './database.ts'
import { driveRun } from './drive-run.ts'
import { fileNumber } from './file-number.ts'
import { inTransaction } from './in-transaction.ts'
import { joinRun } from './join-run.ts'
import { type Ownership, takeOwnership } from './ownership.ts'
import type { RunOptions } from './run-options.ts'
import { findRunByKey, insertRun, type NewRun, readStoredRun, type StoredRun } from './run-rows.ts'

/**
 * Starts a run in this process, journaled in the data directory. Rejects before anything is sent: with
 * `InvalidInput` for arguments that can be known to be wrong, with `DataDirUnusable` for the directory.
 */
export async function startRun(options: RunOptions): Promise<RunHandle> {
  refuseWhatCannotWork(options)
  const { plan, inputs, key, connection, dataDir, clock = systemClock } = options
  await requireSecrets(options, options.secrets ?? noSecrets)
  const connect = await openConnections(options.connect, plan)
  const database = openDatabase(dataDir)
  let ownership: Ownership | undefined
  try {
    const startedAt = new Date(clock.now())
    const id = createRunId(startedAt)
    ownership = takeOwnership(dataDir, id)
    const run: NewRun = {
      id,
      plan,
      inputs,
      startedAtMs: startedAt.getTime(),
      fileNumber: fileNumber(dataDir),
      ...(key === undefined ? {} : { key }),
      ...(connection === undefined ? {} : { connection }),
    }
    const existing = insertOrFind(database, run)
    if (!existing) return driveRun({ ...run, database, ownership, connect, isNew: true }, options)
    refuseOtherRun(existing, options)
    database.close()
    ownership.release(true)
    return joinRun(existing.id, options)
  } catch (error) {
    if (database.isOpen) database.close()
    ownership?.release(true)
    throw error
  }
}

/** Records the run, or answers with the one that has its key. */
function insertOrFind(database: DatabaseSyncInstance, run: NewRun): StoredRun | undefined {
  return inTransaction(database, () => {
    const runId = run.key === undefined ? undefined : findRunByKey(database, run.key)
    if (runId === undefined) insertRun(database, run)
    return runId === undefined ? undefined : readStoredRun(database, runId)
  })
}

function refuseOtherRun(existing: StoredRun, { key, plan, inputs }: RunOptions): void {
  const isOther = existing.plan.name !== plan.name
  if (!isOther && canonicalHash(existing.inputs) === canonicalHash(inputs)) return
  throw keyTaken(key, existing.id, isOther ? existing.plan.name : undefined)
}
