import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { ReopenedAttempt, ReopenedRecord } from '../../../core/record/index.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { readEvents } from '../tables/event-log.ts'
import { limitMark } from '../tables/first-reached.ts'
import { resultsFrom } from './reusable-results.ts'

/** A failed run, with the number and the time of the resume that reopens it. */
export interface ReopenedRun {
  readonly id: string
  readonly resume: number
  readonly nowMs: number
}

/** An attempt with the id of its row. */
interface AttemptRow extends ReopenedAttempt {
  readonly id: number
}

/** The rows of a failed run that is resumed; to be used in a transaction. */
export function openReopenedRecord(
  database: DatabaseSyncInstance,
  { id, resume, nowMs }: ReopenedRun,
): ReopenedRecord<AttemptRow> {
  // A path and everything under it: "0" follows "/", and "\\" follows "[".
  const within =
    "run_id = ? AND (path = ? OR (path > ? || '/' AND path < ? || '0') OR (path > ? || '[' AND path < ? || '\\'))"
  const inside = (path: string): readonly string[] => [id, path, path, path, path, path]
  const attempts = database.prepare(
    `SELECT id, path, attempt, action, ended_at, error FROM attempts WHERE ${within} AND superseded = 0`,
  )
  const supersede = database.prepare('UPDATE attempts SET superseded = ? WHERE id = ?')
  const removeMarks = database.prepare(`DELETE FROM first_reached WHERE ${within}`)
  const removeSteps = database.prepare(`DELETE FROM steps WHERE ${within}`)
  const closeQuestions = database.prepare(
    `UPDATE questions SET superseded = ? WHERE ${within} AND superseded = 0`,
  )
  const removeMark = database.prepare('DELETE FROM first_reached WHERE run_id = ? AND path = ?')
  const mark = database.prepare(
    'INSERT OR REPLACE INTO first_reached (run_id, path, reached_at) VALUES (?, ?, ?)',
  )
  const closeQuestion = database.prepare(
    'UPDATE questions SET superseded = ? WHERE run_id = ? AND path = ? AND superseded = 0',
  )
  const reset = database.prepare(
    `UPDATE steps SET status = 'pending', attempts = 0, error = NULL, details = NULL, started_at = NULL,
       ended_at = NULL WHERE run_id = ? AND path = ?`,
  )
  return {
    failedSteps: () => readFailedSteps(database, id),
    failedItems: () => readFailedItems(database, id),
    attempts: (path) => attempts.all(...inside(path)).map(readAttempt),
    takeBack: ({ id: attempt }) => void supersede.run(resume, attempt),
    keep: ({ id: attempt }) => void supersede.run(resultsFrom + resume, attempt),
    forgetInside(path) {
      removeMarks.run(...inside(path))
      closeQuestions.run(resume, ...inside(path))
      removeSteps.run(...inside(path))
    },
    forgetPlace(path) {
      removeMark.run(id, path)
      closeQuestion.run(resume, id, path)
    },
    giveTime: (path) => void mark.run(id, limitMark(path), nowMs),
    reset: (path) => void reset.run(id, path),
  }
}

function readAttempt({ id, path, attempt, action, ended_at, error }: Record<string, unknown>): AttemptRow {
  const row = { id: Number(id), path: String(path), attempt: Number(attempt), action: String(action) }
  if (ended_at === null) return { ...row, status: 'begun' }
  if (typeof error !== 'string') return { ...row, status: 'succeeded' }
  return { ...row, status: 'failed', error: JSON.parse(error) as ErrorData }
}

function readFailedSteps(database: DatabaseSyncInstance, runId: string): readonly string[] {
  const rows = database
    .prepare(
      `SELECT path FROM steps WHERE run_id = ? AND status IN ('failed', 'cancelled')
         AND coalesce(details ->> '$.is_warning', 0) = 0`,
    )
    .all(runId)
  return rows.map((row) => String(row['path']))
}

/** The failed items of loops, as the log has them. */
function readFailedItems(database: DatabaseSyncInstance, runId: string): readonly string[] {
  const failed = new Set<string>()
  for (const { event } of readEvents(database, runId)) {
    if (event.type !== 'item_finished') continue
    if (event.status === 'succeeded' || event.status === 'skipped') failed.delete(event.path)
    else failed.add(event.path)
  }
  return [...failed]
}
