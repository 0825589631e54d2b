import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { JsonValue } from '../../core/json.ts'
import type { Identity } from '../../core/record/identity.ts'
import type { ErrorData } from '../../core/run-error.ts'
import type { Verdict } from '../engine.ts'

/** What a person found out about a write: it was carried out, it was not, or it is to be made again all the same. */
export type Decision = Verdict['decision']

/** A decision as the table has it. */
export interface DecisionRow {
  readonly runId: string
  readonly path: string
  /** `cancelled`: nobody has decided, and nobody wants to know any more. */
  readonly decision: Decision | 'cancelled'
  readonly by: Identity
  readonly now: number
  readonly comment?: string | undefined
  /** What the attempt had come to. */
  readonly error?: ErrorData | undefined
}

/** Keeps a decision in the record and answers with its id; to be called in a transaction. */
export function recordDecision(
  database: DatabaseSyncInstance,
  { runId, path, decision, by, now, comment, error }: DecisionRow,
): number {
  const { lastInsertRowid } = database
    .prepare(
      `INSERT INTO decisions (run_id, path, decision, decided_by, comment, decided_at, error, resumes)
       VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT resumes FROM runs WHERE id = ?))`,
    )
    .run(
      runId,
      path,
      decision,
      JSON.stringify(by),
      comment ?? null,
      now,
      error ? JSON.stringify(error) : null,
      runId,
    )
  return Number(lastInsertRowid)
}

/** Says what the attempt in doubt came to: the journal answers with it from now on. To be called in a transaction. */
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
  database
    .prepare(
      // While its process was dead nobody has worked on it.
      `UPDATE attempts SET output = ?, error = ?, ended_at = coalesce(ended_at, ?),
         waited = iif(ended_at IS NULL, max(? - started_at, 0), waited),
         ended_place = coalesce(ended_place, (SELECT coalesce(max(ended_place), 0) + 1 FROM attempts WHERE run_id = ?))
       WHERE run_id = ? AND path = ? AND attempt = ? AND superseded = 0`,
    )
    .run(
      output === undefined ? null : JSON.stringify(output),
      error ? JSON.stringify(error) : null,
      now,
      now,
      runId,
      runId,
      path,
      attempt,
    )
}

/**
 * Keeps the attempts of a call for the record only, so that it is made again: of a group of a batch those since it was
 * carried out for other items. The numbers of resumes are taken, those below nothing are not. To be called in a
 * transaction.
 */
export function setAttemptsAside(
  database: DatabaseSyncInstance,
  runId: string,
  path: string,
  decisionId: number,
): void {
  database
    .prepare(
      `UPDATE attempts SET superseded = ?1 WHERE run_id = ?2 AND path = ?3 AND superseded = 0 AND attempt > (
         SELECT coalesce(max(attempt), 0) FROM attempts
         WHERE run_id = ?2 AND path = ?3 AND superseded = 0 AND ended_at IS NOT NULL AND error IS NULL)`,
    )
    .run(-decisionId, runId, path)
}
