import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../../core/events.ts'
import type { JsonValue } from '../../../core/json.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import type { Verdict } from '../../index.ts'
import { sql, toJson } from '../database/sql.ts'

/** How a user resolves an unknown outcome: the write was executed, it was not, or the call is made again. */
export type Decision = Verdict['decision']

/** A decision to record. */
export interface DecisionRow {
  readonly runId: string
  readonly path: string
  /** `cancelled`: no user has decided, and the run was cancelled. */
  readonly decision: Decision | 'cancelled'
  readonly by: Identity
  readonly now: number
  readonly comment?: string | undefined
  /** The error of the attempt until then. */
  readonly error?: ErrorData | undefined
}

/** Records a decision and returns its id; to be called in a transaction. */
export function recordDecision(
  database: DatabaseSyncInstance,
  { runId, path, decision, by, now, comment, error }: DecisionRow,
): number {
  const row = sql(database).get`
    INSERT INTO decisions (run_id, path, decision, decided_by, comment, decided_at, error, resumes)
    VALUES (${runId}, ${path}, ${decision}, ${JSON.stringify(by)}, ${comment}, ${now}, ${toJson(error)},
    (SELECT resumes FROM runs WHERE id = ${runId})) RETURNING id`
  return Number(row?.['id'])
}

/** Records the resolved outcome of an attempt; to be called in a transaction. */
export function endAttempt(
  database: DatabaseSyncInstance,
  end: {
    readonly runId: string
    readonly path: string
    readonly attempt: number
    readonly now: number
    readonly output?: JsonValue
    readonly error?: ErrorData
  },
): void {
  const { runId, path, attempt, now, output, error } = end
  // The time after the death of its process is waiting time.
  sql(database).run`
    UPDATE attempts SET output = ${toJson(output)}, error = ${toJson(error)},
      ended_at = coalesce(ended_at, ${now}),
    waited = iif(ended_at IS NULL, max(${now} - started_at, 0), waited),
    ended_position = coalesce(ended_position, (SELECT coalesce(max(ended_position), 0) + 1 FROM attempts
      WHERE run_id = ${runId}))
    WHERE run_id = ${runId} AND path = ${path} AND attempt = ${attempt} AND superseded = 0`
}

/**
 * Sets the attempts of a call aside, so that the call is made again. For a group of a batch these are the attempts
 * since its last success. Resumes number these generations upwards, so decisions use negative numbers. To be called in
 * a transaction.
 */
export function setAttemptsAside(
  database: DatabaseSyncInstance,
  runId: string,
  path: string,
  decisionId: number,
): void {
  sql(database).run`
    UPDATE attempts SET superseded = ${-decisionId} WHERE run_id = ${runId} AND path = ${path}
      AND superseded = 0 AND attempt > (
    SELECT coalesce(max(attempt), 0) FROM attempts
    WHERE run_id = ${runId} AND path = ${path} AND superseded = 0 AND ended_at IS NOT NULL
      AND error IS NULL)`
}
