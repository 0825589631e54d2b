import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { type GivenAnswer, type RecordedAnswer, recordedAnswer } from '../../../core/people/index.ts'
import { type AskedQuestion, chooseQuestion } from '../../../core/record/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { hasDatabase, inTransaction, openDatabase } from '../database/database.ts'
import { openQuestionRows, readQuestionRow } from '../tables/question-rows.ts'
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
export async function answerQuestion({
  dataDir,
  runId,
  step,
  answer,
}: AnswerOptions): Promise<RecordedAnswer> {
  if (!hasDatabase(dataDir)) throw noSuchRun({ dataDir, runId })
  const database = openDatabase(dataDir)
  try {
    return inTransaction(database, () => {
      const path = chooseQuestion(readQuestions(database, runId), step, runId)
      const rows = openQuestionRows(database, runId)
      const decision = rows.answer(path, answer, Date.now())
      const question = rows.read(path)
      if (!decision || !question) throw new RunbookError('InternalDefect', `${path} is not open`)
      return recordedAnswer(question, decision, runId)
    })
  } finally {
    database.close()
  }
}

function readQuestions(database: DatabaseSyncInstance, runId: string): readonly AskedQuestion[] {
  return database
    .prepare('SELECT * FROM questions WHERE run_id = ? AND superseded = 0 ORDER BY asked_at')
    .all(runId)
    .map(readQuestionRow)
}
