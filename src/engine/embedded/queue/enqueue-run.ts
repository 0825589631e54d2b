import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../../core/events.ts'
import { withoutUndefined } from '../../../core/json.ts'
import { preflightCheck, systemClock } from '../../attempt/index.ts'
import { createRunId, requirePublicUrl } from '../../record/index.ts'
import { readDatabaseIdentity, withDatabase } from '../database/database.ts'
import {
  concurrencyOfRun,
  insertOrReturnExisting,
  joinHolder,
  refuseOtherRun,
} from '../run/find-existing-run.ts'
import type { RunOptions } from '../run/run-options.ts'
import { readServing } from '../run/run-scope.ts'
import { insertRun, type NewRun, nameKey } from '../tables/run-rows.ts'

/** What queueing a run takes. */
export type QueueOptions = Pick<
  RunOptions,
  'dataDir' | 'actions' | 'plan' | 'inputs' | 'key' | 'connection' | 'approve' | 'publicUrl' | 'say'
> & {
  readonly checkInputs?: RunOptions['checkInputs']
  /**
   * Who starts it.
   * @default the system user of this process
   */
  readonly by?: Identity
}

/** The queued run, or the existing one that is joined instead. */
export interface QueuedRun {
  readonly runId: string
  readonly isJoined: boolean
}

/**
 * Queues a run for `opsbook serve`. Throws `InvalidInput` for arguments that are known to be wrong, and
 * `ConcurrencyConflict` if another run owns the key and the runbook says `reject`.
 */
export function queueRun(options: QueueOptions): QueuedRun {
  preflightCheck(options)
  requirePublicUrl(options.plan, options.publicUrl)
  const { dataDir, plan, inputs, key, connection, approve, by } = options
  return withDatabase(dataDir, (database) => {
    const nowMs = systemClock.now()
    const run: NewRun = {
      id: createRunId(new Date(nowMs)),
      plan,
      inputs,
      startedAtMs: nowMs,
      databaseIdentity: readDatabaseIdentity(dataDir),
      approvesAll: approve === 'all',
      ...withoutUndefined({ key, connection, startedBy: by }),
    }
    const concurrency = concurrencyOfRun(run)
    const record = (): void => enqueueRun(database, run, concurrency?.key)
    const existing = insertOrReturnExisting(database, dataDir, run, concurrency, record)
    if (!existing) return { runId: run.id, isJoined: false }
    if ('sameKey' in existing) {
      refuseOtherRun(existing.sameKey, options)
      return { runId: existing.sameKey.id, isJoined: true }
    }
    return { runId: joinHolder(database, existing, options), isJoined: true }
  })
}

/** Queues a run, with the scope of the `opsbook serve` of the data directory. To be called in a transaction. */
export function enqueueRun(
  database: DatabaseSyncInstance,
  run: NewRun,
  concurrencyKey: string | undefined,
): void {
  const serving = readServing(database)
  const scoped = serving && {
    scope: serving,
    ...(serving.connection === undefined ? {} : { connection: serving.connection }),
  }
  insertRun(database, { ...scoped, ...run, queue: 'serve' })
  const { limit = 1 } = run.plan.concurrency ?? {}
  if (concurrencyKey !== undefined) nameKey(database, run.id, { key: concurrencyKey, limit })
}
