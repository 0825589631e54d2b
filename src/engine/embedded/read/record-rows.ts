/** Reads the rows of the database as the documents that users and programs get. */

import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../../core/events.ts'
import type { JsonObject, JsonValue } from '../../../core/json.ts'
import type { QuestionRecord } from '../../../core/people/index.ts'
import type { Plan } from '../../../core/plan/index.ts'
import {
  type AttemptRecord,
  type ControlRequestRecord,
  type DecisionRecord,
  isExecuted,
  type RecordedStatus,
  type ResumeRecord,
  type RunHistory,
  type RunRecord,
  type RunSummary,
  type SentRecord,
  type TriggerSource,
} from '../../../core/record/index.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { fromJson, type Row, sql } from '../database/sql.ts'
import { resultsFrom } from '../resume/reusable-results.ts'
import { readQuestionRow } from '../tables/question-rows.ts'

export function readSummaryRow(row: Row, status: RecordedStatus): RunSummary {
  const { id, key, runbook, title, labels, error, started_at, started_by } = row
  // A process that died has recorded no end: that of the last event is the best estimate.
  const endedAt = row['ended_at'] ?? row['last_at'] ?? null
  const startedFrom = fromJson<TriggerSource>(row['started_from'])
  // A run that waits in line after a resume has its earlier end on record until it begins.
  const isOver = !isExecuted(status)
  return {
    run_id: String(id),
    ...(typeof key === 'string' ? { key } : {}),
    runbook: String(runbook),
    ...(typeof title === 'string' ? { title } : {}),
    labels: fromJson<Record<string, string>>(labels) ?? {},
    status,
    ...(typeof error === 'string' && isOver ? { error: JSON.parse(error) as ErrorData } : {}),
    started_at: storedTime(started_at),
    ...(typeof started_by === 'string' ? { started_by: JSON.parse(started_by) as Identity } : {}),
    ...(startedFrom === undefined ? {} : { started_from: startedFrom }),
    ...(endedAt !== null && isOver ? { ended_at: storedTime(endedAt) } : {}),
  }
}

type PassedFields = Pick<RunRecord, 'warnings' | 'warnings_left_out'>
type LargeFields = Pick<RunRecord, 'inputs' | 'plan' | 'connection' | 'outputs' | keyof PassedFields>

export function readRunRow({ connection, warnings, inputs, outputs, plan }: Row): LargeFields {
  return {
    inputs: fromJson<JsonObject>(inputs) ?? {},
    plan: JSON.parse(String(plan)) as Plan,
    ...(typeof connection === 'string' ? { connection } : {}),
    ...(typeof outputs === 'string' ? { outputs: JSON.parse(outputs) as JsonObject } : {}),
    ...readPassed(warnings),
  }
}

function readPassed(text: unknown): PassedFields {
  const passed = fromJson<ErrorData[] | PassedFields>(text) ?? []
  return Array.isArray(passed) ? { warnings: passed } : passed
}

export function readAttemptRow(row: Row): AttemptRecord {
  const { path, attempt, superseded, action, started_at, ended_at, request_id, error, output, sent } = row
  const { waited, reused, is_repeated } = row
  const ended = typeof error === 'string' ? 'failed' : 'succeeded'
  return {
    path: String(path),
    attempt: Number(attempt),
    action: String(action),
    ...(typeof sent === 'string' ? { sent: JSON.parse(sent) as SentRecord } : {}),
    status: ended_at === null ? 'begun' : ended,
    ...(typeof output === 'string' ? { output: JSON.parse(output) as JsonValue } : {}),
    ...(typeof error === 'string' ? { error: JSON.parse(error) as ErrorData } : {}),
    ...(typeof request_id === 'string' ? { request_id } : {}),
    started_at: storedTime(started_at),
    ...(ended_at === null ? {} : { ended_at: storedTime(ended_at) }),
    ...(waited === null ? {} : { waited_ms: Number(waited) }),
    ...(is_repeated === 1 ? { is_repeated: true } : {}),
    ...(reused === null ? {} : { is_taken_over: true }),
    ...(superseded === 0 ? {} : { is_superseded: true }),
    ...(Number(superseded) > 0 ? { superseded_by_resume: Number(superseded) % resultsFrom } : {}),
    ...(Number(superseded) > resultsFrom ? { is_set_aside: true } : {}),
  }
}

export function readQuestionRecord(row: Row): QuestionRecord {
  const { asked_at, until, superseded } = row
  const { answers, status: last, ...question } = readQuestionRow(row)
  // The run asks another one at this step now.
  const status = superseded !== 0 && last === 'open' ? 'withdrawn' : last
  return {
    ...question,
    asked_at: storedTime(asked_at),
    ...(until === null ? {} : { until: storedTime(until) }),
    status,
    answers,
    ...(superseded === 0 ? {} : { is_superseded: true }),
  }
}

export function readHistory(database: DatabaseSyncInstance, runId: string): RunHistory {
  const resumes = sql(database).all`
    SELECT resumes.*, plans.plan ->> '$.hash' AS plan_hash_before
    FROM resumes LEFT JOIN plans ON plans.id = plan_id_before WHERE run_id = ${runId} ORDER BY number`
  const decisions = sql(database).all`SELECT * FROM decisions WHERE run_id = ${runId} ORDER BY id`
  const requests = sql(database).all`SELECT * FROM control_requests WHERE run_id = ${runId} ORDER BY id`
  return {
    resumes: resumes.map(readResume),
    decisions: decisions.map(readDecision),
    control_requests: requests.map(readControlRequest),
  }
}

function readResume(row: Row): ResumeRecord {
  const { number, resumed_by, resumed_at, changes, plan_hash_before, inputs_before } = row
  return {
    number: Number(number),
    by: JSON.parse(String(resumed_by)) as Identity,
    at: storedTime(resumed_at),
    ...(typeof changes === 'string' ? { changes: JSON.parse(changes) as JsonObject } : {}),
    ...(typeof plan_hash_before === 'string' ? { plan_hash_before } : {}),
    ...(typeof inputs_before === 'string' ? { inputs_before: JSON.parse(inputs_before) as JsonObject } : {}),
  }
}

function readDecision({ path, decision, decided_by, comment, decided_at, error }: Row): DecisionRecord {
  return {
    path: String(path),
    decision: decision as DecisionRecord['decision'],
    by: JSON.parse(String(decided_by)) as Identity,
    ...(typeof comment === 'string' ? { comment } : {}),
    at: storedTime(decided_at),
    ...(typeof error === 'string' ? { error: JSON.parse(error) as ErrorData } : {}),
  }
}

function readControlRequest({
  kind,
  requested_by,
  comment,
  requested_at,
  taken_at,
  over_at,
}: Row): ControlRequestRecord {
  return {
    kind: kind as ControlRequestRecord['kind'],
    by: JSON.parse(String(requested_by)) as Identity,
    ...(typeof comment === 'string' ? { comment } : {}),
    at: storedTime(requested_at),
    ...(taken_at === null ? {} : { taken_at: storedTime(taken_at) }),
    ...(over_at === null ? {} : { over_at: storedTime(over_at) }),
  }
}

export function storedTime(ms: unknown): string {
  return new Date(Number(ms)).toISOString()
}
