import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { JsonObject } from '../../core/json.ts'
import type { Identity } from '../../core/record/identity.ts'
import type {
  ControlRequestRecord,
  DecisionRecord,
  ResumeRecord,
  RunHistory,
} from '../../core/record/run-history.ts'
import type { ErrorData } from '../../core/run-error.ts'

type Row = Readonly<Record<string, unknown>>

export function readHistory(database: DatabaseSyncInstance, runId: string): RunHistory {
  const all = (sql: string): readonly Row[] => database.prepare(sql).all(runId) as Row[]
  return {
    resumes: all(
      `SELECT resumes.*, plans.plan ->> '$.hash' AS plan_hash_before
       FROM resumes LEFT JOIN plans ON plans.id = plan_id_before WHERE run_id = ? ORDER BY number`,
    ).map(readResume),
    decisions: all('SELECT * FROM decisions WHERE run_id = ? ORDER BY id').map(readDecision),
    control_requests: all('SELECT * FROM control_requests WHERE run_id = ? ORDER BY id').map(
      readControlRequest,
    ),
  }
}

function readResume(row: Row): ResumeRecord {
  const { number, resumed_by, resumed_at, amendment, plan_hash_before, inputs_before } = row
  return {
    number: Number(number),
    by: JSON.parse(String(resumed_by)) as Identity,
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
    by: JSON.parse(String(decided_by)) as Identity,
    ...(typeof comment === 'string' ? { comment } : {}),
    at: timeText(decided_at),
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
    at: timeText(requested_at),
    ...(taken_at === null ? {} : { taken_at: timeText(taken_at) }),
    ...(over_at === null ? {} : { over_at: timeText(over_at) }),
  }
}

function timeText(ms: unknown): string {
  return new Date(Number(ms)).toISOString()
}
