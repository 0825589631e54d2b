import { noSecrets, requireSecrets } from '../../../actions/index.ts'
import { type ErrorData, errorData, refusedAsItStands } from '../../../core/run-error.ts'
import { type Connect, openConnections, preflightCheck } from '../../attempt/index.ts'
import { type RunHandle, requirePublicUrl } from '../../record/index.ts'
import { requireKey } from '../concurrency/key-rows.ts'
import { inTransaction, openDatabase } from '../database/database.ts'
import { noSuchRun, readStoredRun, recordClaim, type StoredRun } from '../tables/run-rows.ts'
import { driveRun } from './drive-run.ts'
import { type Ownership, takeOwnership } from './ownership.ts'
import type { ClaimOptions } from './run-options.ts'

/**
 * Claims a queued run and starts it. A run that is known not to work here fails before its first step, so that its
 * record shows why. Rejects with `RunInUse` if another process was faster, with `ConcurrencyConflict` if it must wait
 * for another run, and with `InvalidInput` if it is no longer queued.
 */
export async function claimQueuedRun(options: ClaimOptions): Promise<RunHandle> {
  const { dataDir, runId } = options
  const database = openDatabase(dataDir)
  let ownership: Ownership | undefined
  try {
    ownership = takeOwnership(dataDir, runId)
    const run = readStoredRun(database, runId)
    if (!run) throw noSuchRun({ dataDir, runId })
    const prepared = await prepare(run, options)
    inTransaction(database, () => {
      if (!recordClaim(database, runId))
        throw refusedAsItStands(`${runId} is no longer queued: it is ${run.status}`, runId)
      requireKey(database, dataDir, run)
    })
    const approve = run.approvesAll ? { approve: 'all' as const } : {}
    return driveRun(
      { ...run, ...prepared, database, ownership, isNew: true, isAutomatic: true },
      { ...options, ...approve },
    )
  } catch (error) {
    if (database.isOpen) database.close()
    ownership?.release(false)
    throw error
  }
}

/** The connections of the run, or the reason why it cannot work here. */
async function prepare(
  { plan, inputs }: StoredRun,
  options: ClaimOptions,
): Promise<{ readonly connect: Connect; readonly refusal?: ErrorData }> {
  try {
    const { actions, checkInputs, secrets = noSecrets } = options
    preflightCheck({ plan, inputs, actions, checkInputs })
    requirePublicUrl(plan, options.publicUrl)
    await requireSecrets({ plan, inputs, actions }, secrets)
    return { connect: await openConnections(options.connect, plan) }
  } catch (error) {
    const refuse: Connect = () => Promise.reject(error)
    return { connect: refuse, refusal: errorData(error) }
  }
}
