import type { RecordedStatus } from '../../../core/record/index.ts'
import { type Row, type SqlPart, sqlPart } from '../database/sql.ts'
import { isOwned } from '../run/ownership.ts'
import { isListening } from '../tables/queue-rows.ts'

/** The status of a run, from its row. */
export type StatusOf = (row: Row) => RecordedStatus

/** A run that the table calls running is interrupted if its owner is dead. A resumed run can wait in line. */
export function liveStatus(dataDir: string): StatusOf {
  return ({ id, status, is_queued, open_questions, last_control_request }) => {
    if (is_queued === 1) return 'queued'
    const isOwnedHere = (is_queued === 2 || status === 'running') && isOwned(dataDir, String(id))
    if (is_queued === 2 && isOwnedHere) return last_control_request === 'pause' ? 'paused' : 'queued'
    if (status !== 'running') return status as RecordedStatus
    if (!isOwnedHere) return 'interrupted'
    if (last_control_request === 'pause') return 'paused'
    return Number(open_questions) > 0 ? 'waiting' : 'running'
  }
}

/** The columns of `runs` that a summary and {@link liveStatus} read. */
export const summaryColumns: SqlPart = sqlPart`runs.id AS id, key, runbook, concurrency_key, title, labels, status, error, started_at, started_by, started_from, is_queued, ended_at,
  CASE WHEN ended_at IS NULL THEN (SELECT at FROM events WHERE run_id = runs.id ORDER BY seq DESC LIMIT 1) END AS last_at,
  (SELECT count(*) FROM questions WHERE run_id = runs.id AND superseded = 0 AND questions.status = 'open')
    + (SELECT count(*) FROM attempts WHERE run_id = runs.id AND ${isListening}) AS open_questions,
  (SELECT kind FROM control_requests WHERE run_id = runs.id AND over_at IS NULL ORDER BY id DESC LIMIT 1) AS last_control_request`
