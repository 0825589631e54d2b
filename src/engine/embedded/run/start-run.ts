import { noSecrets, requireSecrets } from '../../../actions/index.ts'
import { withoutUndefined } from '../../../core/json.ts'
import { openConnections, preflightCheck, systemClock } from '../../attempt/index.ts'
import { createRunId, type RunHandle, requirePublicUrl } from '../../record/index.ts'
import { takeKey } from '../concurrency/key-rows.ts'
import { waitToStart } from '../concurrency/wait-in-line.ts'
import { openDatabase, readDatabaseIdentity } from '../database/database.ts'
import { insertRun, type NewRun, nameKey } from '../tables/run-rows.ts'
import { driveRun } from './drive-run.ts'
import { concurrencyOfRun, insertOrReturnExisting, joinHolder, refuseOtherRun } from './find-existing-run.ts'
import { joinRun } from './join-run.ts'
import { type Ownership, takeOwnership } from './ownership.ts'
import type { RunOptions } from './run-options.ts'

/**
 * Starts a run in this process, with its journal in the data directory. If a run with the same `concurrency` key is
 * running, this one joins it or waits in line, as the runbook says.
 *
 * Rejects before anything is sent: with `InvalidInput` for arguments that are known to be wrong, with
 * `ConcurrencyConflict` if another run owns the key and the runbook says `reject`, with `NoPublicUrl` if its callbacks have
 * no address, and with `DataDirUnusable` for the directory.
 */
export async function startRun(options: RunOptions): Promise<RunHandle> {
  preflightCheck(options)
  const { plan, inputs, key, connection, scope, dataDir, clock = systemClock } = options
  requirePublicUrl(plan, options.publicUrl)
  await requireSecrets(options, options.secrets ?? noSecrets)
  const connect = await openConnections(options.connect, plan)
  const database = openDatabase(dataDir)
  let ownership: Ownership | undefined
  try {
    const id = createRunId(new Date(clock.now()))
    ownership = takeOwnership(dataDir, id)
    const run: NewRun = {
      id,
      plan,
      inputs,
      startedAtMs: clock.now(),
      databaseIdentity: readDatabaseIdentity(dataDir),
      ...withoutUndefined({ key, connection, scope }),
    }
    const concurrency = concurrencyOfRun(run)
    const waits = concurrency?.onConflict === 'wait'
    const existing = insertOrReturnExisting(database, dataDir, run, concurrency, (concurrencyKey) => {
      insertRun(database, waits ? { ...run, queue: 'here' } : run)
      if (!concurrencyKey) return
      if (waits) nameKey(database, run.id, concurrencyKey)
      else takeKey(database, concurrencyKey, run.id)
    })
    if (!existing && waits) {
      const concurrencyKey = { dataDir, runbook: plan.name, ...concurrency }
      const { say, signal } = options
      if (!(await waitToStart(database, concurrencyKey, run.id, { now: clock.now, say, signal }))) {
        database.close()
        ownership.release(true)
        return { ...joinRun(run.id, options), isJoined: false }
      }
    }
    if (!existing) return driveRun({ ...run, database, ownership, connect, isNew: true }, options)
    if ('sameKey' in existing) refuseOtherRun(existing.sameKey, options)
    const runId = 'sameKey' in existing ? existing.sameKey.id : joinHolder(database, existing, options)
    database.close()
    ownership.release(true)
    return joinRun(runId, options)
  } catch (error) {
    if (database.isOpen) database.close()
    ownership?.release(true)
    throw error
  }
}
