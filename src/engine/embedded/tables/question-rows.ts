import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Answer, Question } from '../../../core/host/index.ts'
import type { Identity } from '../../../core/record/index.ts'
import type { GivenAnswer } from '../../index.ts'

/** A recorded question. */
export interface QuestionRow {
  readonly message: string
  readonly status: 'open' | 'answered' | 'expired' | 'withdrawn'
  readonly answer?: Answer
}

/** The questions of one run in the database. The first answer counts. */
export interface QuestionRows {
  read(path: string): QuestionRow | undefined
  /** Opens a question, or reopens a withdrawn one. */
  open(question: Question, askedAtMs: number): void
  /** Sets the question of a step aside: the step asks another one now. */
  setAside(path: string): void
  /** Answers a question if it is open. */
  answer(path: string, given: GivenAnswer, nowMs: number): void
  /** Closes a question whose deadline has passed. */
  expire(path: string): void
  /** Closes a question that needs no answer any more. */
  withdraw(path: string): void
}

export function openQuestionRows(database: DatabaseSyncInstance, runId: string): QuestionRows {
  const key = 'run_id = ? AND path = ? AND superseded = 0'
  const select = database.prepare(`SELECT * FROM questions WHERE ${key}`)
  const insert = database.prepare(
    `INSERT INTO questions (run_id, path, message, asked_at, until, status) VALUES (?, ?, ?, ?, ?, 'open')
     ON CONFLICT (run_id, path, superseded) DO UPDATE SET status = 'open'`,
  )
  // Resumes number these generations upwards, so this one takes a negative number.
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
