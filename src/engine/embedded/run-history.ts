import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { JsonObject } from '../../core/json.ts'
import type { ErrorData } from '../../core/run-error.ts'

/** One time that a run was carried on. */
export interface ResumeRecord {
  /** From 1. */
  readonly number: number
  readonly by: string
  /** RFC 3339. */
  readonly at: string
  /** What was asked for besides going on, such as steps to repeat. */
  readonly amendment?: JsonObject
  /** Hash of the plan until then, where it was changed. */
  readonly plan_hash_before?: string
  /** The inputs until then, where they were changed. */
  readonly inputs_before?: JsonObject
}

/** How a person has settled what became of a call that nobody was sure of. */
export interface DecisionRecord {
  readonly path: string
  /** `cancelled`: the run was cancelled, and nobody wants to know any more. */
  readonly decision: 'succeeded' | 'failed' | 'retry' | 'cancelled'
  readonly by: string
  readonly comment?: string
  /** RFC 3339. */
  readonly at: string
  /** What the attempt had come to. */
  readonly error?: ErrorData
}

/** What somebody wanted of the run while it went on. */
export interface WishRecord {
  readonly kind: 'cancel' | 'cancel-now' | 'pause' | 'unpause'
  readonly by: string
  readonly comment?: string
  /** RFC 3339. */
  readonly at: string
  /** RFC 3339: when the process that carried the run out took it up. */
  readonly taken_at?: string
  /** RFC 3339: since when it counts no more, since the run has ended. */
  readonly over_at?: string
}

/** What people have done to a run, each in the order in which it was done. */
export interface RunHistory {
  readonly resumes: readonly ResumeRecord[]
  readonly decisions: readonly DecisionRecord[]
  readonly wishes: readonly WishRecord[]
}

type Row = Readonly<Record<string, unknown>>

export function readHistory(database: DatabaseSyncInstance, runId: string): RunHistory {
  const all = (sql: string): readonly Row[] => database.prepare(sql).all(runId) as Row[]
  return {
    resumes: all(
      `SELECT resumes.*, plans.plan ->> '$.hash' AS plan_hash_before
       FROM resumes LEFT JOIN plans ON plans.id = plan_id_before WHERE run_id = ? ORDER BY number`,
    ).map(readResume),
    decisions: all('SELECT * FROM decisions WHERE run_id = ? ORDER BY id').map(readDecision),
    wishes: all('SELECT * FROM wishes WHERE run_id = ? ORDER BY id').map(readWish),
  }
}

function readResume(row: Row): ResumeRecord {
  const { number, resumed_by, resumed_at, amendment, plan_hash_before, inputs_before } = row
  return {
    number: Number(number),
    by: String(resumed_by),
    at: timeText(resumed_at),
    ...(typeof amendment === 'string' ? { amendment: JSON.parse(amendment) as JsonObject } : {}),
    ...(typeof plan_hash_before === 'string' ? { plan_hash_before } : {}),
    ...(typeof inputs_before === 'string' ? { inputs_before: JSON.parse(inputs_before) as JsonObject } : {}),
  }
}

function readDecision({ path, decision, decided_by, comment, decided_at, error }: Row): DecisionRecord {
  return {
    path: String(path),
    decision: decision as DecisionRecord['decision'],
    by: String(decided_by),
    ...(typeof comment === 'string' ? { comment } : {}),
    at: timeText(decided_at),
    ...(typeof error === 'string' ? { error: JSON.parse(error) as ErrorData } : {}),
  }
}

function readWish({ kind, wished_by, comment, wished_at, taken_at, over_at }: Row): WishRecord {
  return {
    kind: kind as WishRecord['kind'],
    by: String(wished_by),
    ...(typeof comment === 'string' ? { comment } : {}),
    at: timeText(wished_at),
    ...(taken_at === null ? {} : { taken_at: timeText(taken_at) }),
    ...(over_at === null ? {} : { over_at: timeText(over_at) }),
  }
}

function timeText(ms: unknown): string {
  return new Date(Number(ms)).toISOString()
}
