import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../../core/events.ts'
import {
  type Answer,
  type AnswerDecision,
  type AskedQuestion,
  decideAnswer,
  type GivenAnswer,
} from '../../../core/people/index.ts'

/** A recorded question. */
export interface QuestionRow extends Omit<AskedQuestion, 'timeoutMs'> {
  readonly status: 'open' | 'answered' | 'expired' | 'withdrawn'
  readonly answers: readonly Answer[]
}

/** The questions of one run in the database. */
export interface QuestionRows {
  /** Who started the run, triggered its schedule by hand, resumed it with changes or gave the result of a call. */
  starters(): readonly Identity[]
  read(path: string): QuestionRow | undefined
  /** Opens a question, or reopens a withdrawn one. */
  open(question: AskedQuestion, askedAtMs: number): void
  /** Sets the question of a step aside: the step asks another one now. */
  setAside(path: string): void
  /**
   * Decides an answer, and records it if it counts. To be called in a transaction. Undefined: the question is not open,
   * and nothing is recorded.
   */
  answer(path: string, given: GivenAnswer, nowMs: number): AnswerDecision | undefined
  /** Closes a question whose deadline has passed. */
  expire(path: string): void
  /** Closes a question that needs no answer any more. */
  withdraw(path: string): void
}

export function openQuestionRows(database: DatabaseSyncInstance, runId: string): QuestionRows {
  const key = 'run_id = ? AND path = ? AND superseded = 0'
  const select = database.prepare(`SELECT * FROM questions WHERE ${key}`)
  const insert = database.prepare(
    `INSERT INTO questions (run_id, path, question, asked_at, until, status) VALUES (?, ?, ?, ?, ?, 'open')
     ON CONFLICT (run_id, path, superseded) DO UPDATE SET status = 'open', question = excluded.question, until = excluded.until`,
  )
  // Resumes number these generations upwards, so this one takes a negative number.
  const setAside = database.prepare(
    `UPDATE questions SET superseded = (
       SELECT min(superseded) - 1 FROM questions AS one WHERE one.run_id = questions.run_id AND one.path = questions.path)
     WHERE ${key}`,
  )
  const answer = database.prepare(`UPDATE questions SET status = ?, answers = ? WHERE ${key}`)
  const close = database.prepare(`UPDATE questions SET status = ? WHERE ${key} AND status = 'open'`)
  return {
    starters: () => startersOf(database, runId),
    read(path) {
      const row = select.get(runId, path)
      return row && readQuestionRow(row)
    },
    open({ timeoutMs, ...question }, askedAtMs) {
      const until = timeoutMs === undefined ? null : askedAtMs + timeoutMs
      insert.run(runId, question.path, JSON.stringify(question), askedAtMs, until)
    },
    setAside: (path) => void setAside.run(runId, path),
    answer(path, given, nowMs) {
      const row = select.get(runId, path)
      if (row?.['status'] !== 'open') return undefined
      const question = readQuestionRow(row)
      const { until } = row
      const decision = decideAnswer({
        question,
        answers: question.answers,
        starters: startersOf(database, runId),
        ...(until === null ? {} : { untilMs: Number(until) }),
        nowMs,
        given,
      })
      if (decision.kind === 'refused') return decision
      const status = decision.kind === 'settled' ? 'answered' : 'open'
      answer.run(status, JSON.stringify(decision.answers), runId, path)
      return decision
    },
    expire(path) {
      close.run('expired', runId, path)
    },
    withdraw(path) {
      close.run('withdrawn', runId, path)
    },
  }
}

/** Who started the run, triggered its schedule by hand, resumed it with changes or gave the result of a call. */
function startersOf(database: DatabaseSyncInstance, runId: string): readonly Identity[] {
  return database
    .prepare(
      `SELECT started_by AS person FROM runs WHERE id = :id AND started_from IS NULL
       UNION ALL SELECT started_by FROM schedule_fires WHERE run_id = :id AND started_by IS NOT NULL
       UNION ALL SELECT resumed_by FROM resumes WHERE run_id = :id AND coalesce(changes, plan_id_before, inputs_before) IS NOT NULL
       UNION ALL SELECT decided_by FROM decisions WHERE run_id = :id AND decision = 'succeeded'`,
    )
    .all({ id: runId })
    .map(({ person }) => JSON.parse(String(person)) as Identity)
}

export function readQuestionRow(row: Readonly<Record<string, unknown>>): QuestionRow {
  const question = JSON.parse(String(row['question'])) as Omit<AskedQuestion, 'timeoutMs'>
  const answers = JSON.parse(String(row['answers'])) as readonly Answer[]
  const status = row['status'] as QuestionRow['status']
  return { ...question, status, answers }
}
