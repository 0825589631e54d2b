import { noSecrets, requireSecrets } from '../../actions/secret-store.ts'
import { refusedAsItStands } from '../../core/record/refused.ts'
import { type ErrorData, errorData } from '../../core/run-error.ts'
import { type Connect, openConnections } from '../attempt/connections.ts'
import { refuseWhatCannotWork } from '../attempt/refuse-what-cannot-work.ts'
import type { RunHandle } from '../record/run-handle.ts'
import { requireKey } from './concurrency/require-key.ts'
import { openDatabase } from './database.ts'
import { driveRun } from './drive-run.ts'
import { inTransaction } from './in-transaction.ts'
import { noRun } from './no-run.ts'
import { type Ownership, takeOwnership } from './ownership.ts'
import type { TakeUpOptions } from './run-options.ts'
import { readStoredRun, type StoredRun, takeUp } from './run-rows.ts'

/**
 * Begins a run that was recorded for somebody to take it up. One that can be known not to work here fails at once, for
 * everybody to see. Rejects with `RunInUse` where another process has been faster, with `ConcurrencyConflict` where it
 * must wait on for the end of another run, and with `InvalidInput` where it waits no longer.
 */
export async function takeUpRun(options: TakeUpOptions): Promise<RunHandle> {
  const { dataDir, runId } = options
  const database = openDatabase(dataDir)
  let ownership: Ownership | undefined
  try {
    ownership = takeOwnership(dataDir, runId)
    const run = readStoredRun(database, runId)
    if (!run) throw noRun({ dataDir, runId })
    const means = await prepare(run, options)
    inTransaction(database, () => {
      if (!takeUp(database, runId))
        throw refusedAsItStands(`${runId} waits no longer: it is ${run.status}`, runId)
      requireKey(database, dataDir, run)
    })
    const approve = run.approvesAll ? { approve: 'all' as const } : {}
    return driveRun(
      { ...run, ...means, database, ownership, isNew: true, isAutomatic: true },
      { ...options, ...approve },
    )
  } catch (error) {
    if (database.isOpen) database.close()
    ownership?.release(false)
    throw error
  }
}

/** The connections of the run, or why it cannot work. */
async function prepare(
  { plan, inputs }: StoredRun,
  options: TakeUpOptions,
): Promise<{ readonly connect: Connect; readonly refusal?: ErrorData }> {
  try {
    const { actions, secrets = noSecrets } = options
    refuseWhatCannotWork({ plan, inputs, actions })
    await requireSecrets({ plan, inputs, actions }, secrets)
    return { connect: await openConnections(options.connect, plan) }
  } catch (error) {
    const nowhere: Connect = () => Promise.reject(error)
    return { connect: nowhere, refusal: errorData(error) }
  }
}
