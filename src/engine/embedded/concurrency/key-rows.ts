import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { concurrencyConflict, concurrencyOf } from '../../../core/concurrency-key.ts'
import { isOwned } from '../run/ownership.ts'
import type { StoredRun } from '../tables/run-rows.ts'

/** A concurrency key of a runbook: one run at a time owns it. */
export interface ConcurrencyKey {
  readonly dataDir: string
  readonly runbook: string
  readonly key: string
}

/** The run that prevents others from starting. */
export interface KeyHolder {
  readonly runId: string
  /** A process has started it; else it is queued. */
  readonly isBegun: boolean
}

/**
 * The run that a new one with this key conflicts with: one that a living process executes, or a queued one. A run whose
 * process died has lost its key. To be called in the transaction that starts the new run.
 */
export function findKeyHolder(
  database: DatabaseSyncInstance,
  concurrencyKey: ConcurrencyKey,
): KeyHolder | undefined {
  return findRuns(database, concurrencyKey).find(({ runId, isBegun, hasKey }) =>
    isBegun ? hasKey && isOwned(concurrencyKey.dataDir, runId) : true,
  )
}

/** The queued runs of this key, oldest first. */
export function findQueued(
  database: DatabaseSyncInstance,
  concurrencyKey: ConcurrencyKey,
): readonly string[] {
  return findRuns(database, concurrencyKey).flatMap(({ runId, isBegun }) => (isBegun ? [] : [runId]))
}

interface KeyRun extends KeyHolder {
  readonly hasKey: boolean
}

function findRuns(database: DatabaseSyncInstance, { runbook, key }: ConcurrencyKey): readonly KeyRun[] {
  return database
    .prepare(
      `SELECT id, owner, has_key FROM runs WHERE runbook = ? AND concurrency_key = ? AND ended_at IS NULL
       ORDER BY has_key DESC, started_at, id`,
    )
    .all(runbook, key)
    .map(({ id, owner, has_key }) => ({
      runId: String(id),
      isBegun: owner !== null,
      hasKey: has_key === 1,
    }))
}

/**
 * Assigns the key to a run, or returns its holder: a run that a living process executes. A dead run loses the key, and
 * needs it again to resume. To be called in a transaction, by the owner of the run.
 */
export function takeKey(
  database: DatabaseSyncInstance,
  { dataDir, runbook, key }: ConcurrencyKey,
  runId: string,
): KeyHolder | undefined {
  const holder = findRuns(database, { dataDir, runbook, key }).find(
    (run) => run.hasKey && run.runId !== runId,
  )
  if (holder && isOwned(dataDir, holder.runId)) return { runId: holder.runId, isBegun: true }
  if (holder) database.prepare('UPDATE runs SET has_key = 0 WHERE id = ?').run(holder.runId)
  database.prepare('UPDATE runs SET concurrency_key = ?, has_key = 1 WHERE id = ?').run(key, runId)
  return undefined
}

/** Removes the key of a run; to be called in a transaction. */
function forgetKey(database: DatabaseSyncInstance, runId: string): void {
  database.prepare('UPDATE runs SET concurrency_key = NULL, has_key = 0 WHERE id = ?').run(runId)
}

/**
 * Assigns its key to a run that is resumed or claimed. Throws `ConcurrencyConflict` if another run holds it: only a new
 * run can replace others.
 */
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
