import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { type AskedQuestion, chooseQuestion } from '../../../core/record/index.ts'
import type { GivenAnswer } from '../../index.ts'
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
 * Answers the question of a step, and returns the path of the step. The run receives the answer within 250 ms, or when
 * it is resumed.
 *
 * Rejects with `InvalidInput`, and changes nothing, if no such step asks. The message says whose answer counts if
 * another user was faster.
 */
export async function answerQuestion({ dataDir, runId, step, answer }: AnswerOptions): Promise<string> {
  if (!hasDatabase(dataDir)) throw noSuchRun({ dataDir, runId })
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
