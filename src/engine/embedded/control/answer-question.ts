import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import {
  chooseQuestions,
  type GivenAnswer,
  type NamedQuestions,
  type QuestionRecord,
  type RecordedAnswer,
  recordedAnswer,
} from '../../../core/people/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { systemClock } from '../../attempt/index.ts'
import { inTransaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { readQuestionRecord } from '../read/record-rows.ts'
import { openQuestionRows } from '../tables/question-rows.ts'
import { inDatabaseOf } from './with-run.ts'

/** An answer to a question of a run, from any process. */
export interface AnswerOptions extends NamedQuestions {
  readonly dataDir: string
  readonly runId: string
  readonly answer: GivenAnswer
}

/**
 * Answers the question of a step, or all questions that were shown together, in one transaction. Resolves with what the
 * answer did to each. The run receives it within 250 ms, or when it is resumed.
 *
 * Rejects with `InvalidInput`, and records nothing, if no such step asks, if what was shown has changed, or if the answer
 * does not count. The message says why: it does not fit, this person may not answer, or another one was faster, and when.
 */
export async function answerQuestion({
  dataDir,
  runId,
  answer,
  ...named
}: AnswerOptions): Promise<readonly RecordedAnswer[]> {
  return inDatabaseOf({ dataDir, runId }, (database) =>
    inTransaction(database, () => {
      const rows = openQuestionRows(database, runId)
      return chooseQuestions(readQuestions(database, runId), named, runId).map((path) => {
        const decision = rows.answer(path, answer, systemClock.now())
        const question = rows.read(path)
        if (!decision || !question) throw new RunbookError('InternalDefect', `${path} is not open`)
        return recordedAnswer(question, decision, runId)
      })
    }),
  )
}

function readQuestions(database: DatabaseSyncInstance, runId: string): readonly QuestionRecord[] {
  const rows = sql(database).all`
    SELECT * FROM questions WHERE run_id = ${runId} AND superseded = 0 ORDER BY asked_at`
  return rows.map(readQuestionRecord)
}
