import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { replacedBy } from '../../core/record/successor.ts'
import { systemIdentity } from '../record/system-user.ts'
import { findWaiting } from './concurrency/key-rows.ts'
import { askToEnd } from './concurrency/make-room.ts'
import { endRun, insertRun, type NewRun, nameKey } from './run-rows.ts'
import { readServing } from './run-scope.ts'

/**
 * Records a run for `opsbook serve` to take it up: it belongs to the one that works in the data directory. Another run that goes on for its concurrency key is asked to end, and one that
 * nobody has begun ends at once: whoever calls has decided that this one takes their place. To be called in a transaction.
 */
export function recordWaiting(
  database: DatabaseSyncInstance,
  dataDir: string,
  run: NewRun,
  concurrencyKey: string | undefined,
): void {
  const { id, plan, startedAtMs } = run
  if (concurrencyKey !== undefined) {
    const place = { dataDir, runbook: plan.name, key: concurrencyKey }
    askToEnd(database, place, { runId: id, by: systemIdentity() }, startedAtMs)
    const error = { code: 'Cancelled', message: `${replacedBy(id)} before it was begun` } as const
    for (const other of findWaiting(database, place))
      endRun(database, other, { status: 'cancelled', error }, startedAtMs)
  }
  const serving = readServing(database)
  const belongsTo = serving && {
    scope: serving,
    ...(serving.connection === undefined ? {} : { connection: serving.connection }),
  }
  insertRun(database, { ...belongsTo, ...run, isWaiting: true })
  if (concurrencyKey !== undefined) nameKey(database, id, concurrencyKey)
}
