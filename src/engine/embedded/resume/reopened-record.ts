import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { ReopenedAttempt, ReopenedRecord } from '../../../core/record/index.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { type Row, type SqlPart, sql, sqlPart } from '../database/sql.ts'
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
  const within = (path: string): SqlPart => sqlPart`
    run_id = ${id} AND (path = ${path} OR (path > ${path} || '/' AND path < ${path} || '0')
      OR (path > ${path} || '[' AND path < ${path} || '\\'))`
  return {
    failedSteps: () => readFailedSteps(database, id),
    failedItems: () => readFailedItems(database, id),
    attempts: (path) =>
      sql(database)
        .all`SELECT id, path, attempt, action, ended_at, error FROM attempts WHERE ${within(path)} AND superseded = 0`.map(
        readAttempt,
      ),
    takeBack: ({ id: attempt }) =>
      void sql(database).run`UPDATE attempts SET superseded = ${resume} WHERE id = ${attempt}`,
    keep: ({ id: attempt }) =>
      void sql(database).run`
        UPDATE attempts SET superseded = ${resultsFrom + resume} WHERE id = ${attempt}`,
    forgetInside(path) {
      sql(database).run`DELETE FROM first_reached WHERE ${within(path)}`
      sql(database).run`
        UPDATE questions SET superseded = ${resume} WHERE ${within(path)} AND superseded = 0`
      sql(database).run`DELETE FROM steps WHERE ${within(path)}`
    },
    forgetPlace(path) {
      sql(database).run`DELETE FROM first_reached WHERE run_id = ${id} AND path = ${path}`
      sql(database).run`
        UPDATE questions SET superseded = ${resume} WHERE run_id = ${id} AND path = ${path} AND superseded
          = 0`
    },
    giveTime: (path) =>
      void sql(database).run`
        INSERT OR REPLACE INTO first_reached (run_id, path, reached_at) VALUES (${id}, ${limitMark(path)},
          ${nowMs})`,
    reset: (path) =>
      void sql(database).run`
        UPDATE steps SET status = 'pending', attempts = 0, error = NULL, details = NULL,
          started_at = NULL,
        ended_at = NULL WHERE run_id = ${id} AND path = ${path}`,
  }
}

function readAttempt({ id, path, attempt, action, ended_at, error }: Row): AttemptRow {
  const row = { id: Number(id), path: String(path), attempt: Number(attempt), action: String(action) }
  if (ended_at === null) return { ...row, status: 'begun' }
  if (typeof error !== 'string') return { ...row, status: 'succeeded' }
  return { ...row, status: 'failed', error: JSON.parse(error) as ErrorData }
}

function readFailedSteps(database: DatabaseSyncInstance, runId: string): readonly string[] {
  const rows = sql(database).all`
    SELECT path FROM steps WHERE run_id = ${runId} AND status IN ('failed', 'cancelled')
    AND coalesce(details ->> '$.is_warning', 0) = 0`
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
