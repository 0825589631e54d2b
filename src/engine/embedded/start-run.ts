import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { noSecrets, requireSecrets } from '../../actions/secret-store.ts'
import { argumentProblems } from '../../core/forecast/forecast-plan.ts'
import { RunbookError } from '../../core/run-error.ts'
import { unsupportedFeatures } from '../../core/unsupported.ts'
import { canonicalHash } from '../attempt/canonical-hash.ts'
import { systemClock } from '../attempt/clock.ts'
import { openConnections } from '../attempt/connections.ts'
import type { RunHandle } from '../record/run-handle.ts'
import { createRunId } from '../record/run-id.ts'
import { openDatabase } from './database.ts'
import { driveRun } from './drive-run.ts'
import { fileNumber } from './file-number.ts'
import { inTransaction } from './in-transaction.ts'
import { joinRun } from './join-run.ts'
import { type Ownership, takeOwnership } from './ownership.ts'
import { refused } from './refused.ts'
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

/** Joining a run that does something else would be an answer to another question. */
function refuseOtherRun(existing: StoredRun, { key, plan, inputs }: RunOptions): void {
  const isOther = existing.plan.name !== plan.name
  if (!isOther && canonicalHash(existing.inputs) === canonicalHash(inputs)) return
  const what = isOther ? `of the runbook ${existing.plan.name}` : 'with other inputs'
  const message = `the key ${JSON.stringify(key)} belongs to ${existing.id}, a run ${what}; choose another one`
  throw refused(message)
}

/** Everything that can be known before the first call; nothing has been made when it throws. */
export function refuseWhatCannotWork({
  plan,
  inputs,
  actions,
}: Pick<RunOptions, 'plan' | 'inputs' | 'actions'>): void {
  const unsupported = unsupportedFeatures(plan)
  if (unsupported.length > 0) {
    const message = `this version does not carry out yet: ${unsupported.join(', ')}; nothing was sent`
    throw refused(message, 'Leave them out of the runbook.')
  }
  const problems = argumentProblems({ plan, inputs, actions })
  if (problems.length === 0) return
  const list = problems.map(({ path, message }) => `${path} ${message}`).join('; ')
  const details = { problems: problems.map(({ path, message }) => ({ path, message })) }
  throw new RunbookError('InvalidInput', `${list}; nothing was sent`, { notSent: true, details })
}
