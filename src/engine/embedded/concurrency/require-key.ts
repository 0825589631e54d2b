import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { concurrencyConflict, concurrencyOf } from '../../../core/concurrency-key.ts'
import type { StoredRun } from '../run-rows.ts'
import { forgetKey, takeKey } from './key-rows.ts'

/** A run that has lost its key to another one, or never had it, needs it to go on. To replace others is for new runs. */
export function requireKey(
  database: DatabaseSyncInstance,
  dataDir: string,
  { id, plan, inputs, startedAtMs }: Pick<StoredRun, 'id' | 'plan' | 'inputs' | 'startedAtMs'>,
): void {
  const facts = { id, started_at: new Date(startedAtMs).toISOString() }
  const key = concurrencyOf(plan, inputs, facts)?.key
  if (key === undefined) {
    forgetKey(database, id)
    return
  }
  const holder = takeKey(database, { dataDir, runbook: plan.name, key }, id)
  if (holder) throw concurrencyConflict(holder.runId, plan.name, key)
}
