import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { mostCrashes } from './count-crash.ts'
import { isOwned } from './ownership.ts'
import { listWaiting, readRunStatus } from './run-rows.ts'
import { asUnowned, type UnownedRun, unownedColumns } from './run-scope.ts'

/** The runs that wait to be taken up here. A database that others hold is looked at the next time. */
export function readWaiting(
  database: DatabaseSyncInstance,
  limit: number,
  before: readonly string[],
  accept: (run: UnownedRun) => boolean,
): readonly string[] {
  try {
    return listWaiting(database, limit, before, accept)
  } catch {
    return []
  }
}

/** It can be gone on with. */
export function isOpen(database: DatabaseSyncInstance, runId: string): boolean {
  const status = readRunStatus(database, runId)
  return status === 'running' || status === 'interrupted'
}

/** How many runs wait to be taken up. */
export function countWaiting(database: DatabaseSyncInstance): number {
  return Number(database.prepare('SELECT count(*) AS count FROM runs WHERE waits = 1').get()?.['count'])
}

/** How many of these runs wait for the answer of a person. */
export function countAsking(database: DatabaseSyncInstance, runIds: readonly string[]): number {
  const asking = `SELECT 1 FROM questions WHERE run_id = value AND superseded = 0 AND status = 'open'`
  try {
    const row = database
      .prepare(`SELECT count(*) AS count FROM json_each(?) WHERE EXISTS (${asking})`)
      .get(JSON.stringify(runIds))
    return Number(row?.['count'])
  } catch {
    // A database that others hold is asked the next time.
    return 0
  }
}

/** Runs that were stopped, or whose process has died; without those that are left alone after crashes. */
export function listInterrupted(database: DatabaseSyncInstance, dataDir: string): readonly UnownedRun[] {
  return database
    .prepare(
      `SELECT ${unownedColumns} FROM runs
       WHERE waits IS NULL AND (status = 'running' OR status = 'interrupted' AND crashes < ?)
       ORDER BY started_at, rowid`,
    )
    .all(mostCrashes)
    .map(asUnowned)
    .filter(({ id }) => !isOwned(dataDir, id))
}
