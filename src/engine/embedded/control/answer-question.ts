import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import {
  chooseShown,
  type GivenAnswer,
  type RecordedAnswer,
  recordedAnswer,
} from '../../../core/people/index.ts'
import { chooseQuestion, type QuestionRecord } from '../../../core/record/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { hasDatabase, inTransaction, openDatabase } from '../database/database.ts'
import { readQuestionRecord } from '../read/record-rows.ts'
import { openQuestionRows } from '../tables/question-rows.ts'
import { noSuchRun } from '../tables/run-rows.ts'

/** An answer to a question of a run, from any process. */
export interface AnswerOptions {
  readonly dataDir: string
  readonly runId: string
  /** The path of the step that asks, or its id if only one such step asks. */
  readonly step: string
  readonly answer: GivenAnswer
}

/**
 * Answers the question of a step, and resolves with what the answer did. The run receives the answer within 250 ms, or when
 * it is resumed.
 *
 * Rejects with `InvalidInput`, and changes nothing, if no such step asks, or if the answer does not count. The message
 * says why: it does not fit, this person may not answer, or another one was faster, and when.
 */
export async function answerQuestion({ step, ...options }: AnswerOptions): Promise<RecordedAnswer> {
  const choose = (questions: readonly QuestionRecord[]): readonly string[] => [
    chooseQuestion(questions, step, options.runId),
  ]
  const [recorded] = answerEach(options, choose)
  if (!recorded) throw new RunbookError('InternalDefect', `${step} was not answered`)
  return recorded
}

/** An answer to the questions of a step that an approver saw together. */
export interface ShownAnswerOptions extends AnswerOptions {
  /** Names the questions as they were shown, such as `40-1f0c9a77b2`. */
  readonly shown: string
}

/**
 * Gives one answer to all the questions that were shown together, in one transaction. Rejects with `InvalidInput`, and
 * records nothing, if one of them has changed or was answered since, or if the answer does not count for one of them.
 */
export async function answerShown({
  step,
  shown,
  ...options
}: ShownAnswerOptions): Promise<readonly RecordedAnswer[]> {
  return answerEach(options, (questions) => chooseShown(questions, step, shown, options.runId))
}

function answerEach(
  { dataDir, runId, answer }: Omit<AnswerOptions, 'step'>,
  choose: (questions: readonly QuestionRecord[]) => readonly string[],
): readonly RecordedAnswer[] {
  if (!hasDatabase(dataDir)) throw noSuchRun({ dataDir, runId })
  const database = openDatabase(dataDir)
  try {
    return inTransaction(database, () => {
      const rows = openQuestionRows(database, runId)
      return choose(readQuestions(database, runId)).map((path) => {
        const decision = rows.answer(path, answer, Date.now())
        const question = rows.read(path)
        if (!decision || !question) throw new RunbookError('InternalDefect', `${path} is not open`)
        return recordedAnswer(question, decision, runId)
      })
    })
  } finally {
    database.close()
  }
}

function readQuestions(database: DatabaseSyncInstance, runId: string): readonly QuestionRecord[] {
  const rows = database
    .prepare('SELECT * FROM questions WHERE run_id = ? AND superseded = 0 ORDER BY asked_at')
    .all(runId)
  return rows.map(readQuestionRecord)
}
