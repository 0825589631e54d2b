/** The rows of the database as the documents that people and programs see. */

import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Plan } from '../../core/plan.ts'
import type { Identity } from '../../core/record/identity.ts'
import type {
  AttemptRecord,
  QuestionRecord,
  RecordedStatus,
  RunRecord,
  RunSummary,
  SentRecord,
} from '../../core/record/run-record.ts'
import type { StartedFrom } from '../../core/record/started-from.ts'
import type { ErrorData } from '../../core/run-error.ts'
import { seedsFrom } from './amend/seed-rows.ts'
import { readQuestionRow } from './question-rows.ts'

type Row = Readonly<Record<string, unknown>>

export function readSummaryRow(row: Row, status: RecordedStatus): RunSummary {
  const { id, key, runbook, title, labels, error, started_at, started_by, ended_at } = row
  const startedFrom = json<StartedFrom>(row['started_from'])
  return {
    run_id: String(id),
    ...(typeof key === 'string' ? { key } : {}),
    runbook: String(runbook),
    ...(typeof title === 'string' ? { title } : {}),
    labels: json<Record<string, string>>(labels) ?? {},
    status,
    ...(typeof error === 'string' ? { error: JSON.parse(error) as ErrorData } : {}),
    started_at: timeText(started_at),
    ...(typeof started_by === 'string' ? { started_by: JSON.parse(started_by) as Identity } : {}),
    ...(startedFrom === undefined ? {} : { started_from: startedFrom }),
    ...(ended_at === null ? {} : { ended_at: timeText(ended_at) }),
  }
}

type PassedFields = Pick<RunRecord, 'warnings' | 'warnings_left_out'>
type LargeFields = Pick<RunRecord, 'inputs' | 'plan' | 'connection' | 'outputs' | keyof PassedFields>

export function readRunRow({ connection, warnings, inputs, outputs, plan }: Row): LargeFields {
  return {
    inputs: json<JsonObject>(inputs) ?? {},
    plan: JSON.parse(String(plan)) as Plan,
    ...(typeof connection === 'string' ? { connection } : {}),
    ...(typeof outputs === 'string' ? { outputs: JSON.parse(outputs) as JsonObject } : {}),
    ...readPassed(warnings),
  }
}

function readPassed(text: unknown): PassedFields {
  const passed = json<ErrorData[] | PassedFields>(text) ?? []
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
    started_at: timeText(started_at),
    ...(ended_at === null ? {} : { ended_at: timeText(ended_at) }),
    ...(waited === null ? {} : { waited_ms: Number(waited) }),
    ...(is_repeated === 1 ? { is_repeated: true } : {}),
    ...(reused === null ? {} : { is_taken_over: true }),
    ...(superseded === 0 ? {} : { is_superseded: true }),
    ...(Number(superseded) > 0 ? { superseded_by_resume: Number(superseded) % seedsFrom } : {}),
    ...(Number(superseded) > seedsFrom ? { is_set_aside: true } : {}),
  }
}

export function readQuestionRecord(row: Row): QuestionRecord {
  const { path, message, asked_at, until, superseded } = row
  return {
    path: String(path),
    message: String(message),
    asked_at: timeText(asked_at),
    ...(until === null ? {} : { until: timeText(until) }),
    ...readQuestionRow(row),
    ...(superseded === 0 ? {} : { is_superseded: true }),
  }
}

function json<T>(text: unknown): T | undefined {
  return typeof text === 'string' ? (JSON.parse(text) as T) : undefined
}

function timeText(ms: unknown): string {
  return new Date(Number(ms)).toISOString()
}
