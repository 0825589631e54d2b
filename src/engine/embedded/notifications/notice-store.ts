import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { RunEvent } from '../../../core/events.ts'
import type { RunOutcome } from '../../../core/interpret.ts'
import type { AskedQuestion } from '../../../core/people/index.ts'
import type { Plan } from '../../../core/plan/index.ts'
import { type Clock, systemClock } from '../../attempt/index.ts'
import {
  type ComposeNotice,
  createOpenItems,
  type Notice,
  type NoticeDraft,
  type NoticeKind,
  noticeOfEnd,
  noticeOfQuestion,
  remindersOf,
  type UndeliveredNotices,
} from '../../notices/index.ts'
import { hasDatabase, inTransaction, openDatabase } from '../database/database.ts'
import { type Row, sql, sqlPart } from '../database/sql.ts'
import type { QuestionRows } from '../tables/question-rows.ts'
import { dropQuestionNotices, insertNotice, writeNextReminder } from './reminder-rows.ts'

/** A notification that is due, and that no other process delivers now. */
export interface DueNotice extends NoticeDraft {
  /** The number of delivery attempts, this one included. */
  readonly tries: number
  readonly kind: NoticeKind
  readonly runId?: string
  /** The step that asks. */
  readonly path?: string
}

/** The notifications of a data directory, of the runs of all processes. */
export interface NoticeStore {
  /**
   * Claims the due notifications for these targets, oldest first. They are due again at `againAtMs`, in case the
   * claiming process dies. Requests for an answer that the run has by now are deleted, and so are reminders once their
   * question is no longer open.
   */
  claim(targets: readonly string[], most: number, nowMs: number, againAtMs: number): readonly DueNotice[]
  /** Records that a notification has arrived. After a reminder, the next one is written. */
  delivered(id: string, nowMs: number): void
  failed(id: string, reason: string, againAtMs: number): void
  /** Stops retrying notifications that were written before that time. */
  giveUp(writtenBeforeMs: number, nowMs: number): void
  /** Those that were due at that time. */
  undelivered(nowMs?: number): readonly UndeliveredNotices[]
  close(): void
}

/** Opens the notifications of a data directory. Undefined: there is no database yet. */
export function openNoticeStore(dataDir: string): NoticeStore | undefined {
  if (!hasDatabase(dataDir)) return undefined
  const database = openDatabase(dataDir)
  const open = sqlPart`delivered_at IS NULL AND given_up_at IS NULL`
  return {
    claim(targets, most, nowMs, againAtMs) {
      const due = sqlPart`
        ${open} AND next_at <= ${nowMs} AND target IN (SELECT value FROM json_each(${JSON.stringify(targets)}))`
      // Checked first, so that writers do not wait for an empty update.
      if (sql(database).get`SELECT 1 FROM notices WHERE ${due} LIMIT 1` === undefined) return []
      sql(database).run`
        DELETE FROM notices WHERE ${open} AND path IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM questions WHERE questions.run_id = notices.run_id AND questions.path = notices.path
            AND superseded = 0 AND CASE WHEN kind = 'approval_waiting' THEN status IN ('open', 'expired')
              ELSE status = 'open' AND (until IS NULL OR until > ${nowMs}) END
        )`
      // One statement, so that two processes never claim the same notification.
      const claimed = sql(database).all`
        UPDATE notices SET tries = tries + 1, next_at = ${againAtMs} WHERE id IN (
          SELECT id FROM notices WHERE ${due} ORDER BY created_at, id LIMIT ${most}
        ) RETURNING id, target, body, tries, kind, run_id, path`
      return claimed.map(readDue)
    },
    delivered(id, nowMs) {
      inTransaction(database, () => {
        sql(database).run`UPDATE notices SET delivered_at = ${nowMs}, last_error = NULL WHERE id = ${id}`
        writeNextReminder(database, id, nowMs)
      })
    },
    failed(id, reason, againAtMs) {
      sql(database).run`UPDATE notices SET last_error = ${reason}, next_at = ${againAtMs} WHERE id = ${id}`
    },
    giveUp(writtenBeforeMs, nowMs) {
      const old = sqlPart`${open} AND created_at < ${writtenBeforeMs}`
      if (sql(database).get`SELECT 1 FROM notices WHERE ${old} LIMIT 1` !== undefined)
        sql(database).run`UPDATE notices SET given_up_at = ${nowMs} WHERE ${old}`
    },
    undelivered(nowMs = systemClock.now()) {
      const rows = sql(database).all`
        SELECT target, count(*) FILTER (WHERE given_up_at IS NULL) AS waiting,
          count(*) FILTER (WHERE given_up_at IS NOT NULL) AS given_up,
          min(created_at) AS since, max(last_error) AS last_error
        FROM notices WHERE delivered_at IS NULL AND created_at <= ${nowMs} GROUP BY target ORDER BY target`
      return rows.map(readUndelivered)
    },
    close: () => database.close(),
  }
}

function readDue({ id, target, body, tries, kind, run_id, path }: Row): DueNotice {
  return {
    id: String(id),
    target: String(target),
    body: String(body),
    tries: Number(tries),
    kind: kind as NoticeKind,
    ...(typeof run_id === 'string' ? { runId: run_id } : {}),
    ...(typeof path === 'string' ? { path } : {}),
  }
}

function readUndelivered({ target, waiting, given_up, since, last_error }: Row): UndeliveredNotices {
  return {
    target: String(target),
    waiting: Number(waiting),
    givenUp: Number(given_up),
    since: new Date(Number(since)).toISOString(),
    ...(typeof last_error === 'string' ? { lastError: last_error } : {}),
  }
}

/** Writes the notifications of one run, in the transaction of their cause: neither is on disk without the other. */
export interface NoticeWriter {
  /** Remembers the items of loops, for the texts of notifications. */
  take(event: RunEvent): void
  /**
   * The questions of the run. Opening one also writes its notification, its first reminder and its escalation, unless it
   * is answered in advance.
   */
  withNotices(rows: QuestionRows, isAnswered: (question: AskedQuestion) => boolean): QuestionRows
  /** Writes the notification about an end that needs a user; to be called in a transaction. */
  ended(outcome: RunOutcome, atMs: number): void
}

export function openNoticeWriter(
  database: DatabaseSyncInstance,
  { id, plan }: { readonly id: string; readonly plan: Plan },
  clock: Pick<Clock, 'now'>,
  compose: ComposeNotice = () => [],
): NoticeWriter {
  const items = createOpenItems()
  const run = { runId: id, plan, items }
  const write = (notice: Notice, atMs?: number): void => writeNotice(database, notice, compose, atMs)
  return {
    take: items.take,
    withNotices: (rows, isAnswered) => ({
      ...rows,
      open(question, askedAtMs) {
        const isOpen = rows.read(question.path)?.status === 'open'
        rows.open(question, askedAtMs)
        if (isOpen) return
        dropQuestionNotices(database, id, question.path)
        if (isAnswered(question)) return
        write(noticeOfQuestion(run, question, askedAtMs))
        for (const { notice, atMs } of remindersOf(run, question, askedAtMs, clock.now())) write(notice, atMs)
      },
    }),
    ended(outcome, atMs) {
      const notice = noticeOfEnd(run, outcome, atMs)
      if (notice) write(notice)
    },
  }
}

/**
 * Writes a notification for each of its targets; to be called in the transaction of its cause. `atMs`: when it is due.
 * Left out: now.
 */
export function writeNotice(
  database: DatabaseSyncInstance,
  notice: Notice,
  compose: ComposeNotice,
  atMs: number = notice.sinceMs,
): void {
  const { runId, kind, path } = notice
  const of = { runId, kind, path: isOfQuestion(kind) ? path : undefined, atMs }
  for (const draft of drafts(compose, notice)) insertNotice(database, draft, of)
}

function isOfQuestion(kind: NoticeKind): boolean {
  return kind === 'approval_waiting' || kind === 'approval_reminder' || kind === 'approval_escalated'
}

/** The formatted notifications. A failure of the formatter does not affect the run. */
function drafts(compose: ComposeNotice, notice: Notice): readonly NoticeDraft[] {
  try {
    return compose(notice)
  } catch {
    return []
  }
}
