import { randomUUID } from 'node:crypto'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { JsonObject } from '../../../core/json.ts'
import { nextReminder, type Question } from '../../../core/people/index.ts'
import type { NoticeDraft, NoticeKind } from '../../notices/index.ts'
import { sql } from '../database/sql.ts'

/** What a notification is about, and when it is due. */
export interface NoticeFacts {
  readonly runId: string | undefined
  readonly kind: NoticeKind
  /** The step that asks. Undefined: the notification is about no question. */
  readonly path: string | undefined
  /** Unix time in milliseconds. */
  readonly atMs: number
}

/** Writes a notification for one target; to be called in the transaction of its cause. */
export function insertNotice(
  database: DatabaseSyncInstance,
  { id, target, body }: NoticeDraft,
  { runId = null, kind, path = null, atMs }: { readonly [Key in keyof NoticeFacts]: NoticeFacts[Key] | null },
): void {
  sql(database).run`
    INSERT INTO notices (id, run_id, target, kind, path, body, created_at, next_at) VALUES (${id},
      ${runId}, ${target}, ${kind}, ${path}, ${body}, ${atMs}, ${atMs})`
}

/** Deletes what was not delivered yet of the earlier question of a step; to be called as it asks again. */
export function dropQuestionNotices(database: DatabaseSyncInstance, runId: string, path: string): void {
  sql(database).run`DELETE FROM notices WHERE run_id = ${runId} AND path = ${path} AND delivered_at IS NULL`
}

/**
 * Writes the reminder that follows a delivered one, if its question is still open. A target that cannot be reached, and a
 * data directory without a process, so get one reminder for all that they missed.
 */
export function writeNextReminder(database: DatabaseSyncInstance, id: string, nowMs: number): void {
  const row = sql(database).get`
    SELECT notices.run_id AS run_id, notices.path AS path, target, body, question, asked_at, until
    FROM notices JOIN questions ON questions.run_id = notices.run_id AND questions.path = notices.path
    WHERE notices.id = ${id} AND kind = 'approval_reminder' AND superseded = 0
      AND questions.status = 'open'`
  if (row === undefined) return
  const { run_id, path, target, body, asked_at } = row
  const question = JSON.parse(String(row['question'])) as Question
  const next = nextReminder(question, Number(asked_at), nowMs)
  if (!next) return
  const draft = numbered(String(target), String(body), next.number)
  insertNotice(database, draft, {
    runId: String(run_id),
    kind: 'approval_reminder',
    path: String(path),
    atMs: next.atMs,
  })
}

/** The same message under an id of its own. A text for a chat has neither id nor number. */
function numbered(target: string, body: string, reminder: number): NoticeDraft {
  const id = randomUUID()
  const document = JSON.parse(body) as JsonObject
  const own = document['delivery_id'] === undefined ? {} : { delivery_id: id, reminder }
  return { id, target, body: JSON.stringify({ ...document, ...own }) }
}
