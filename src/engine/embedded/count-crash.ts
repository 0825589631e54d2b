import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { ErrorData } from '../../core/run-error.ts'

/** A run is not resumed automatically after so many crashes: what kills one process kills the next. */
export const mostCrashes = 3

/**
 * Counts a crash of a run whose process has died, where a call of it was in flight, and answers with how many there are.
 * A run that only waited then did not cause it. To be called in a transaction.
 */
export function countCrash(database: DatabaseSyncInstance, runId: string): number {
  const row = database
    .prepare(
      `UPDATE runs SET crashes = crashes + EXISTS (
         SELECT 1 FROM attempts WHERE run_id = runs.id AND superseded = 0 AND ended_at IS NULL)
       WHERE id = ? RETURNING crashes`,
    )
    .get(runId)
  return Number(row?.['crashes'])
}

/** Forgets them: a person has looked at the run. */
export function forgetCrashes(database: DatabaseSyncInstance, runId: string): void {
  database.prepare('UPDATE runs SET crashes = 0 WHERE id = ?').run(runId)
}

/** Why a run stays interrupted. */
export const repeatedCrash: ErrorData = {
  code: 'RepeatedCrash',
  message: `the process died ${mostCrashes} times while a call of the run was in flight: it is left interrupted`,
  notSent: true,
}
