import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { type AskedQuestion, chooseQuestion } from '../../core/record/choose-question.ts'
import type { GivenAnswer } from '../engine.ts'
import { hasDatabase, openDatabase } from './database.ts'
import { inTransaction } from './in-transaction.ts'
import { noRun } from './no-run.ts'
import { openQuestionRows, readQuestionRow } from './question-rows.ts'

/** An answer to what a run asks, from any process. */
export interface AnswerOptions {
  readonly dataDir: string
  readonly runId: string
  /** The path of the step that asks, or its id where only one such step asks. */
  readonly step: string
  readonly answer: GivenAnswer
}

/**
 * Answers what a step asks. The run goes on with it within a quarter of a second, or as soon as it is resumed. Answers
 * with the path of the step.
 *
 * Rejects with `InvalidInput`, and changes nothing, where no such step asks; the message says whose answer counted
 * where somebody was faster.
 */
export async function answerQuestion({ dataDir, runId, step, answer }: AnswerOptions): Promise<string> {
  if (!hasDatabase(dataDir)) throw noRun({ dataDir, runId })
  const database = openDatabase(dataDir)
  try {
    return inTransaction(database, () => {
      const path = chooseQuestion(readQuestions(database, runId), step, runId)
      openQuestionRows(database, runId).answer(path, answer, Date.now())
      return path
    })
  } finally {
    database.close()
  }
}

function readQuestions(database: DatabaseSyncInstance, runId: string): readonly AskedQuestion[] {
  return database
    .prepare('SELECT * FROM questions WHERE run_id = ? AND superseded = 0 ORDER BY asked_at')
    .all(runId)
    .map((row) => ({ path: String(row['path']), ...readQuestionRow(row) }))
}
