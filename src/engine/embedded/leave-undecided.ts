import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../core/record/identity.ts'
import type { ErrorData } from '../../core/run-error.ts'
import { endAttempt, recordDecision } from './decision-rows.ts'
import { findUndecided } from './undecided.ts'

/**
 * Leaves all that is in doubt as it is: nobody wants to know any more. To be called in a transaction, where the run is to
 * be cancelled.
 */
export function leaveUndecided(
  database: DatabaseSyncInstance,
  run: Parameters<typeof findUndecided>[1],
  by: Identity,
): void {
  const now = Date.now()
  for (const { path, attempt, action, error } of findUndecided(database, run)) {
    recordDecision(database, { runId: run.id, path, decision: 'cancelled', by, now, error })
    const message = `the run was cancelled, and nobody has said whether ${action} was carried out`
    const left: ErrorData = { code: 'Cancelled', message, path, isSettled: true }
    endAttempt(database, { runId: run.id, path, attempt, now, error: left })
  }
}
