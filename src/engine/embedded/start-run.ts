import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { noSecrets, requireSecrets } from '../../actions/secret-store.ts'
import type { Concurrency } from '../../core/concurrency-key.ts'
import { systemClock } from '../attempt/clock.ts'
import { openConnections } from '../attempt/connections.ts'
import { refuseWhatCannotWork } from '../attempt/refuse-what-cannot-work.ts'
import type { RunHandle } from '../record/run-handle.ts'
import { createRunId } from '../record/run-id.ts'
import { systemIdentity } from '../record/system-user.ts'
import { takeKey } from './concurrency/key-rows.ts'
import { replaceHolder } from './concurrency/make-room.ts'
import { openDatabase } from './database.ts'
import { driveRun } from './drive-run.ts'
import { fileNumber } from './file-number.ts'
import { joinRun } from './join-run.ts'
import { concurrencyOfRun, insertOrMeet, joinHolder, type Met, refuseOtherRun } from './meet-run.ts'
import { type Ownership, takeOwnership } from './ownership.ts'
import type { RunOptions } from './run-options.ts'
import { insertRun, type NewRun } from './run-rows.ts'

/**
 * Starts a run in this process, journaled in the data directory. Where a run of its `concurrency` key goes on, that one is
 * followed or replaced, as the runbook says.
 *
 * Rejects before anything is sent: with `InvalidInput` for arguments that can be known to be wrong, with
 * `ConcurrencyConflict` where another run goes on and the runbook says `reject`, with `DataDirUnusable` for the directory.
 */
export async function startRun(options: RunOptions): Promise<RunHandle> {
  refuseWhatCannotWork(options)
  const { plan, inputs, key, connection, scope, dataDir, clock = systemClock } = options
  await requireSecrets(options, options.secrets ?? noSecrets)
  const connect = await openConnections(options.connect, plan)
  const database = openDatabase(dataDir)
  let ownership: Ownership | undefined
  try {
    const id = createRunId(new Date(clock.now()))
    ownership = takeOwnership(dataDir, id)
    for (;;) {
      const run: NewRun = {
        id,
        plan,
        inputs,
        startedAtMs: clock.now(),
        fileNumber: fileNumber(dataDir),
        ...(key === undefined ? {} : { key }),
        ...(connection === undefined ? {} : { connection }),
        ...(scope === undefined ? {} : { scope }),
      }
      const concurrency = concurrencyOfRun(run)
      const met = insertOrMeet(database, dataDir, run, concurrency, (place) => {
        insertRun(database, run)
        if (place) takeKey(database, place, run.id)
      })
      if (!met) return driveRun({ ...run, database, ownership, connect, isNew: true }, options)
      if ('sameKey' in met) refuseOtherRun(met.sameKey, options)
      else if (met.onConflict === 'replace') {
        await makeRoom(database, run, met, options)
        continue
      }
      const runId = 'sameKey' in met ? met.sameKey.id : joinHolder(database, met, options)
      database.close()
      ownership.release(true)
      return joinRun(runId, options)
    }
  } catch (error) {
    if (database.isOpen) database.close()
    ownership?.release(true)
    throw error
  }
}

async function makeRoom(
  database: DatabaseSyncInstance,
  { id }: NewRun,
  { holder, key }: Extract<Met, Concurrency>,
  { dataDir, plan, clock = systemClock, say, signal }: RunOptions,
): Promise<void> {
  const { runId } = holder
  say?.(
    `cancels ${runId}, which goes on for the same concurrency key ${JSON.stringify(key)}, and waits for its end`,
  )
  const newcomer = { runId: id, by: systemIdentity() }
  const place = { dataDir, runbook: plan.name, key }
  await replaceHolder(database, place, holder, newcomer, { nowMs: clock.now(), signal })
}
