import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { JsonObject } from '../../../core/json.ts'
import type { StepRecord, StepRows } from '../../../core/record/index.ts'
import type { ErrorData } from '../../../core/run-error.ts'

export function openStepRows(database: DatabaseSyncInstance, runId: string): StepRows {
  const upsert = database.prepare(
    `INSERT INTO steps (run_id, path, position, name, action, status, attempts, error, details, started_at, ended_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (run_id, path) DO UPDATE SET status = excluded.status, attempts = excluded.attempts,
       error = excluded.error, details = excluded.details, ended_at = excluded.ended_at,
       started_at = coalesce(excluded.started_at, started_at)`,
  )
  const select = database.prepare('SELECT * FROM steps WHERE run_id = ? AND path = ?')
  return {
    write(step, position) {
      upsert.run(
        runId,
        step.path,
        position,
        step.name ?? null,
        step.action,
        step.status,
        step.attempts,
        step.error === undefined ? null : JSON.stringify(step.error),
        detailsText(step),
        step.started_at === undefined ? null : Date.parse(step.started_at),
        step.ended_at === undefined ? null : Date.parse(step.ended_at),
      )
    },
    read(path) {
      const row = select.get(runId, path)
      return row === undefined ? undefined : readStepRow(row)
    },
    readOutsideLoops() {
      const rows = database
        .prepare("SELECT * FROM steps WHERE run_id = ? AND instr(path, '[') = 0 ORDER BY position")
        .all(runId)
      return rows.map((row) => readStepRow(row as Row))
    },
    lastPosition() {
      const row = database.prepare('SELECT max(position) AS last FROM steps WHERE run_id = ?').get(runId)
      return Number(row?.['last'] ?? -1)
    },
  }
}

type Row = Readonly<Record<string, unknown>>

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
