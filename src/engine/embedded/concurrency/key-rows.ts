import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { isOwned } from '../ownership.ts'

/** For what one run at a time goes on. */
export interface ConcurrencyPlace {
  readonly dataDir: string
  readonly runbook: string
  readonly key: string
}

/** The run that keeps others from starting. */
export interface KeyHolder {
  readonly runId: string
  /** A process carries it out; else it waits for one that takes it up. */
  readonly isBegun: boolean
}

/**
 * The run that a new one of this key would meet: one that a living process carries out, or one that waits to be taken up.
 * A run whose process died has nothing any more. To be called in the transaction that decides by it.
 */
export function findKeyHolder(
  database: DatabaseSyncInstance,
  place: ConcurrencyPlace,
): KeyHolder | undefined {
  return findRuns(database, place).find(({ runId, isBegun, hasKey }) =>
    isBegun ? hasKey && isOwned(place.dataDir, runId) : true,
  )
}

/** The runs of this key that no process has taken up yet, the oldest first. */
export function findWaiting(database: DatabaseSyncInstance, place: ConcurrencyPlace): readonly string[] {
  return findRuns(database, place).flatMap(({ runId, isBegun }) => (isBegun ? [] : [runId]))
}

interface KeyRun extends KeyHolder {
  readonly hasKey: boolean
}

function findRuns(database: DatabaseSyncInstance, { runbook, key }: ConcurrencyPlace): readonly KeyRun[] {
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
 * Gives a run the key, or says who has it: a run that a living process carries out. A dead one loses it, and asks for it
 * when it is resumed. To be called in a transaction, by whoever owns the run.
 */
export function takeKey(
  database: DatabaseSyncInstance,
  { dataDir, runbook, key }: ConcurrencyPlace,
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

/** The run has no key: its runbook asks for none. To be called in a transaction. */
export function forgetKey(database: DatabaseSyncInstance, runId: string): void {
  database.prepare('UPDATE runs SET concurrency_key = NULL, has_key = 0 WHERE id = ?').run(runId)
}
