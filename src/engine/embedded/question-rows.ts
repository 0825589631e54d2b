import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Answer, Question } from '../../core/host.ts'
import type { Identity } from '../../core/record/identity.ts'
import type { GivenAnswer } from '../engine.ts'

/** A question as the table has it. */
export interface QuestionRow {
  readonly message: string
  readonly status: 'open' | 'answered' | 'expired' | 'withdrawn'
  readonly answer?: Answer
}

/** The questions of one run, in the database. Whoever settles one first has settled it. */
export interface QuestionRows {
  read(path: string): QuestionRow | undefined
  /** Asks it, or asks one again that was withdrawn. */
  open(question: Question, askedAtMs: number): void
  /** Keeps what was asked at its place for the record only: something else is asked there now. */
  setAside(path: string): void
  /** Answers it if it is open. */
  answer(path: string, given: GivenAnswer, nowMs: number): void
  /** Nobody has answered in time. */
  expire(path: string): void
  /** Nobody needs to answer any more. */
  withdraw(path: string): void
}

export function openQuestionRows(database: DatabaseSyncInstance, runId: string): QuestionRows {
  const key = 'run_id = ? AND path = ? AND superseded = 0'
  const select = database.prepare(`SELECT * FROM questions WHERE ${key}`)
  const insert = database.prepare(
    `INSERT INTO questions (run_id, path, message, asked_at, until, status) VALUES (?, ?, ?, ?, ?, 'open')
     ON CONFLICT (run_id, path, superseded) DO UPDATE SET status = 'open'`,
  )
  // The numbers of resumes are taken, those below nothing are not.
  const setAside = database.prepare(
    `UPDATE questions SET superseded = (
       SELECT min(superseded) - 1 FROM questions AS one WHERE one.run_id = questions.run_id AND one.path = questions.path)
     WHERE ${key}`,
  )
  const answer = database.prepare(
    `UPDATE questions SET status = 'answered', approved = ?, answered_by = ?, comment = ?, answered_at = ?
     WHERE ${key} AND status = 'open'`,
  )
  const close = database.prepare(`UPDATE questions SET status = ? WHERE ${key} AND status = 'open'`)
  return {
    read(path) {
      const row = select.get(runId, path)
      if (row === undefined) return undefined
      return { ...readQuestionRow(row), message: String(row['message']) }
    },
    open({ path, message, timeoutMs }, askedAtMs) {
      const until = timeoutMs === undefined ? null : askedAtMs + timeoutMs
      insert.run(runId, path, message, askedAtMs, until)
    },
    setAside: (path) => void setAside.run(runId, path),
    answer(path, { approved, by, comment }, nowMs) {
      answer.run(approved ? 1 : 0, JSON.stringify(by), comment ?? null, nowMs, runId, path)
    },
    expire(path) {
      close.run('expired', runId, path)
    },
    withdraw(path) {
      close.run('withdrawn', runId, path)
    },
  }
}

export function readQuestionRow(
  row: Readonly<Record<string, unknown>>,
): Pick<QuestionRow, 'status' | 'answer'> {
  const { status, approved, answered_by, comment, answered_at } = row
  if (status !== 'answered') return { status: status as QuestionRow['status'] }
  return {
    status,
    answer: {
      approved: approved === 1,
      by: JSON.parse(String(answered_by)) as Identity,
      ...(typeof comment === 'string' ? { comment } : {}),
      at: new Date(Number(answered_at)).toISOString(),
    },
  }
}
