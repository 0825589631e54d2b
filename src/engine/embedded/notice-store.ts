import type { NoticeDraft } from '../record/notice.ts'
import { hasDatabase, openDatabase } from './database.ts'

/** A message whose turn it is, and which nobody else delivers meanwhile. */
export interface DueNotice extends NoticeDraft {
  /** How often it has been tried, this time included. */
  readonly tries: number
}

/** Messages of one target that have not arrived. */
export interface UndeliveredNotices {
  readonly target: string
  /** Still tried again. */
  readonly waiting: number
  /** Not tried any more. */
  readonly givenUp: number
  /** RFC 3339: when the oldest of them was written. */
  readonly since: string
  /** Why the last try came to nothing; left out: none was made. */
  readonly lastError?: string
}

/** The messages of a data directory that are to go out, those of runs of other processes included. */
export interface NoticeStore {
  /**
   * Takes the messages for these targets that are due, the oldest first. They are due again at `againAtMs`, in case that
   * nobody comes back to settle them. Those that ask for an answer which the run has by now are forgotten.
   */
  claim(targets: readonly string[], most: number, nowMs: number, againAtMs: number): readonly DueNotice[]
  delivered(id: string, nowMs: number): void
  failed(id: string, reason: string, againAtMs: number): void
  /** Gives up what was written before that time. */
  giveUp(writtenBeforeMs: number, nowMs: number): void
  undelivered(): readonly UndeliveredNotices[]
  close(): void
}

/** Opens the messages of a data directory; undefined where there is no database yet. */
export function openNoticeStore(dataDir: string): NoticeStore | undefined {
  if (!hasDatabase(dataDir)) return undefined
  const database = openDatabase(dataDir)
  const open = 'delivered_at IS NULL AND given_up_at IS NULL'
  const due = `${open} AND next_at <= ? AND target IN (SELECT value FROM json_each(?))`
  const isDue = database.prepare(`SELECT 1 FROM notices WHERE ${due} LIMIT 1`)
  const isOld = database.prepare(`SELECT 1 FROM notices WHERE ${open} AND created_at < ? LIMIT 1`)
  const forget = database.prepare(
    `DELETE FROM notices WHERE ${open} AND kind = 'approval_waiting' AND NOT EXISTS (
       SELECT 1 FROM questions WHERE questions.run_id = notices.run_id AND status IN ('open', 'expired')
     )`,
  )
  // One statement: two processes never take the same message.
  const claim = database.prepare(
    `UPDATE notices SET tries = tries + 1, next_at = ? WHERE id IN (
       SELECT id FROM notices WHERE ${due} ORDER BY created_at, id LIMIT ?
     ) RETURNING id, target, body, tries`,
  )
  const deliver = database.prepare('UPDATE notices SET delivered_at = ?, last_error = NULL WHERE id = ?')
  const fail = database.prepare('UPDATE notices SET last_error = ?, next_at = ? WHERE id = ?')
  const giveUp = database.prepare(`UPDATE notices SET given_up_at = ? WHERE ${open} AND created_at < ?`)
  const select = database.prepare(
    `SELECT target, count(*) FILTER (WHERE given_up_at IS NULL) AS waiting,
       count(*) FILTER (WHERE given_up_at IS NOT NULL) AS given_up, min(created_at) AS since, max(last_error) AS last_error
     FROM notices WHERE delivered_at IS NULL GROUP BY target ORDER BY target`,
  )
  return {
    claim(targets, most, nowMs, againAtMs) {
      const wanted = JSON.stringify(targets)
      // Looked at first: nobody who writes has to wait for a look.
      if (isDue.get(nowMs, wanted) === undefined) return []
      forget.run()
      return claim.all(againAtMs, nowMs, wanted, most).map(readDue)
    },
    delivered(id, nowMs) {
      deliver.run(nowMs, id)
    },
    failed(id, reason, againAtMs) {
      fail.run(reason, againAtMs, id)
    },
    giveUp(writtenBeforeMs, nowMs) {
      if (isOld.get(writtenBeforeMs) !== undefined) giveUp.run(nowMs, writtenBeforeMs)
    },
    undelivered: () => select.all().map(readUndelivered),
    close: () => database.close(),
  }
}

type Row = Readonly<Record<string, unknown>>

function readDue({ id, target, body, tries }: Row): DueNotice {
  return { id: String(id), target: String(target), body: String(body), tries: Number(tries) }
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
