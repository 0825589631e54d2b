import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../../core/events.ts'
import {
  type Answer,
  type AnswerDecision,
  type AskedQuestion,
  decideAnswer,
  type GivenAnswer,
} from '../../../core/people/index.ts'
import { type Row, sql } from '../database/sql.ts'

/** A recorded question. */
export interface QuestionRow extends Omit<AskedQuestion, 'timeoutMs'> {
  readonly status: 'open' | 'answered' | 'expired' | 'withdrawn'
  readonly answers: readonly Answer[]
}

/** The questions of one run in the database. */
export interface QuestionRows {
  /** Who started the run, sent its event again, triggered its schedule by hand, resumed it with changes or gave the result of a call. */
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
  const select = (path: string): Row | undefined =>
    sql(database).get`SELECT * FROM questions WHERE run_id = ${runId} AND path = ${path} AND superseded = 0`
  const close = (path: string, status: QuestionRow['status']): void =>
    void sql(database).run`
      UPDATE questions SET status = ${status}
      WHERE run_id = ${runId} AND path = ${path} AND superseded = 0 AND status = 'open'`
  return {
    starters: () => startersOf(database, runId),
    read(path) {
      const row = select(path)
      return row && readQuestionRow(row)
    },
    open({ timeoutMs, ...question }, askedAtMs) {
      const until = timeoutMs === undefined ? null : askedAtMs + timeoutMs
      sql(database).run`
        INSERT INTO questions (run_id, path, question, asked_at, until, status)
        VALUES (${runId}, ${question.path}, ${JSON.stringify(question)}, ${askedAtMs}, ${until}, 'open')
        ON CONFLICT (run_id, path, superseded) DO UPDATE SET
        status = 'open', question = excluded.question, until = excluded.until`
    },
    // Resumes number these generations upwards, so this one takes a negative number.
    setAside: (path) =>
      void sql(database).run`
        UPDATE questions SET superseded = (SELECT min(superseded) - 1 FROM questions AS one
        WHERE one.run_id = questions.run_id AND one.path = questions.path)
        WHERE run_id = ${runId} AND path = ${path} AND superseded = 0`,
    answer(path, given, nowMs) {
      const row = select(path)
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
      sql(database).run`
        UPDATE questions SET status = ${status}, answers = ${JSON.stringify(decision.answers)}
        WHERE run_id = ${runId} AND path = ${path} AND superseded = 0`
      return decision
    },
    expire: (path) => close(path, 'expired'),
    withdraw: (path) => close(path, 'withdrawn'),
  }
}

/** Who started the run, sent its event again, triggered its schedule by hand, resumed it with changes or gave the result of a call. */
function startersOf(database: DatabaseSyncInstance, runId: string): readonly Identity[] {
  const rows = sql(database).all`
    SELECT started_by AS person FROM runs WHERE id = ${runId} AND started_from IS NULL
    UNION ALL SELECT started_from ->> 'sent_by' FROM runs
    WHERE id = ${runId} AND started_from ->> 'sent_by' IS NOT NULL
    UNION ALL SELECT started_by FROM schedule_fires WHERE run_id = ${runId} AND started_by IS NOT NULL
    UNION ALL SELECT resumed_by FROM resumes
    WHERE run_id = ${runId} AND coalesce(changes, plan_id_before, inputs_before) IS NOT NULL
    UNION ALL SELECT decided_by FROM decisions WHERE run_id = ${runId} AND decision = 'succeeded'`
  return rows.map(({ person }) => JSON.parse(String(person)) as Identity)
}

export function readQuestionRow(row: Row): QuestionRow {
  const question = JSON.parse(String(row['question'])) as Omit<AskedQuestion, 'timeoutMs'>
  const answers = JSON.parse(String(row['answers'])) as readonly Answer[]
  const status = row['status'] as QuestionRow['status']
  return { ...question, status, answers }
}
