import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { JsonObject } from '../../../core/json.ts'
import type { StepRecord, StepRows } from '../../../core/record/index.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { type Row, sql, toJson } from '../database/sql.ts'

export function openStepRows(database: DatabaseSyncInstance, runId: string): StepRows {
  return {
    write(step, position) {
      const [startedAtMs, endedAtMs] = [step.started_at, step.ended_at].map((at) => at && Date.parse(at))
      sql(database).run`
        INSERT INTO steps (run_id, path, position, name, action, status, attempts, error, details,
          started_at, ended_at)
        VALUES (${runId}, ${step.path}, ${position}, ${step.name}, ${step.action}, ${step.status},
        ${step.attempts}, ${toJson(step.error)}, ${detailsText(step)}, ${startedAtMs}, ${endedAtMs})
        ON CONFLICT (run_id, path) DO UPDATE SET status = excluded.status, attempts = excluded.attempts,
        error = excluded.error, details = excluded.details, ended_at = excluded.ended_at,
        started_at = coalesce(excluded.started_at, started_at)`
    },
    read(path) {
      const row = sql(database).get`SELECT * FROM steps WHERE run_id = ${runId} AND path = ${path}`
      return row === undefined ? undefined : readStepRow(row)
    },
    readOutsideLoops() {
      return sql(database).all`
        SELECT * FROM steps WHERE run_id = ${runId} AND instr(path, '[') = 0 ORDER BY position`.map(
        readStepRow,
      )
    },
    lastPosition() {
      const row = sql(database).get`SELECT max(position) AS last FROM steps WHERE run_id = ${runId}`
      return Number(row?.['last'] ?? -1)
    },
  }
}

function detailsText(record: StepRecord): string | null {
  const { branch, is_warning, caught, failed_items, condition, values } = record
  const text = JSON.stringify({ branch, is_warning, caught, failed_items, condition, values })
  return text === '{}' ? null : text
}

export function readStepRow(row: Row): StepRecord {
  const { path, name, action, status, attempts, error, details, started_at, ended_at } = row
  return {
    path: String(path),
    ...(typeof name === 'string' ? { name } : {}),
    action: String(action),
    status: status as StepRecord['status'],
    attempts: Number(attempts),
    ...(typeof error === 'string' ? { error: JSON.parse(error) as ErrorData } : {}),
    ...(typeof details === 'string' ? (JSON.parse(details) as JsonObject) : {}),
    ...(started_at === null ? {} : { started_at: new Date(Number(started_at)).toISOString() }),
    ...(ended_at === null ? {} : { ended_at: new Date(Number(ended_at)).toISOString() }),
  }
}
