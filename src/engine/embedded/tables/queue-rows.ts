import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { ErrorData } from '../../../core/run-error.ts'
import { type SqlPart, sql, sqlPart } from '../database/sql.ts'
import { isOwned } from '../run/ownership.ts'
import { asUnowned, type UnownedRun, unownedColumns } from '../run/run-scope.ts'
import { readRunStatus } from './run-rows.ts'

/**
 * The queued runs that the caller accepts, oldest first, at most `limit`. `key`: the one that the run waits for. A locked
 * database is read at the next poll.
 */
export function readQueued(
  database: DatabaseSyncInstance,
  limit: number,
  accept: (run: UnownedRun, key: string | undefined) => boolean,
): readonly string[] {
  const accepted: string[] = []
  try {
    const waiting = sql(database).all`
      SELECT ${unownedColumns}, concurrency_key FROM runs WHERE is_queued = 1 ORDER BY started_at, rowid`
    for (const row of waiting) {
      if (accepted.length >= limit) break
      const { concurrency_key: key } = row
      if (accept(asUnowned(row), typeof key === 'string' ? key : undefined)) accepted.push(String(row['id']))
    }
    return accepted
  } catch {
    return []
  }
}

/** Whether the run can be resumed. */
export function isOpen(database: DatabaseSyncInstance, runId: string): boolean {
  const status = readRunStatus(database, runId)
  return status === 'running' || status === 'interrupted'
}

/** The number of queued runs. */
export function countQueued(database: DatabaseSyncInstance): number {
  return Number(sql(database).get`SELECT count(*) AS count FROM runs WHERE is_queued = 1`?.['count'])
}

/** An attempt that waits for an event. */
export const isListening: SqlPart = sqlPart`superseded = 0 AND action = 'core/listen' AND ended_at IS NULL`

/** The number of these runs that wait for an answer or for an event. */
export function countAsking(database: DatabaseSyncInstance, runIds: readonly string[]): number {
  try {
    const row = sql(database).get`
      SELECT count(*) AS count FROM json_each(${JSON.stringify(runIds)}) WHERE EXISTS (
      SELECT 1 FROM questions WHERE run_id = value AND superseded = 0 AND status = 'open'
      UNION ALL SELECT 1 FROM attempts WHERE run_id = value AND ${isListening})`
    return Number(row?.['count'])
  } catch {
    // A locked database is read at the next poll.
    return 0
  }
}

/** Interrupted runs that are not left alone after three crashes. */
export function listInterrupted(database: DatabaseSyncInstance, dataDir: string): readonly UnownedRun[] {
  return sql(database).all`
    SELECT ${unownedColumns} FROM runs
    WHERE is_queued IS NOT 1 AND (status = 'running' OR status = 'interrupted'
      AND crashes < ${mostCrashes})
    ORDER BY started_at, rowid`
    .map(asUnowned)
    .filter(({ id }) => !isOwned(dataDir, id))
}

/** After this number of crashes a run is not resumed automatically: it would crash the next process too. */
export const mostCrashes = 3

/** The crashes with the last one: its process died with a call in flight. A run that only waited did not cause it. */
const crashes: SqlPart = sqlPart`crashes + EXISTS (
  SELECT 1 FROM attempts WHERE run_id = runs.id AND superseded = 0 AND ended_at IS NULL AND action <> 'core/listen')`

/** How often the process of a run died with a call in flight. */
export function readCrashes(database: DatabaseSyncInstance, runId: string): number {
  return Number(sql(database).get`SELECT ${crashes} AS crashes FROM runs WHERE id = ${runId}`?.['crashes'])
}

/** Counts the last crash of a run. To be called in the transaction that resumes the run or leaves it: once a crash. */
export function countCrash(database: DatabaseSyncInstance, runId: string): void {
  sql(database).run`UPDATE runs SET crashes = ${crashes} WHERE id = ${runId}`
}

/** Resets the count after a user has resumed the run. */
export function forgetCrashes(database: DatabaseSyncInstance, runId: string): void {
  sql(database).run`UPDATE runs SET crashes = 0 WHERE id = ${runId}`
}

/** The error of a run that stays interrupted. */
export const repeatedCrash: ErrorData = {
  code: 'RepeatedCrash',
  message: `the process died ${mostCrashes} times while a call of the run was in flight: it is left interrupted`,
  notSent: true,
}
