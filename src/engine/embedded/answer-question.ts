import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { nearest } from '../../core/nearest.ts'
import { refused, refusedAsItStands } from '../../core/record/refused.ts'
import { stepIdOf } from '../../core/steps/step-id.ts'
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
      const path = choosePath(readQuestions(database, runId), step, runId)
      openQuestionRows(database, runId).answer(path, answer, Date.now())
      return path
    })
  } finally {
    database.close()
  }
}

type Row = Readonly<Record<string, unknown>>

function readQuestions(database: DatabaseSyncInstance, runId: string): readonly Row[] {
  return database
    .prepare('SELECT * FROM questions WHERE run_id = ? AND superseded = 0 ORDER BY asked_at')
    .all(runId) as Row[]
}

function choosePath(rows: readonly Row[], step: string, runId: string): string {
  const pathOf = (row: Row): string => String(row['path'])
  const open = rows.filter(({ status }) => status === 'open').map(pathOf)
  const named = open.includes(step) ? [step] : open.filter((path) => stepIdOf(path) === step)
  const [only] = named
  if (only !== undefined && named.length === 1) return only
  if (named.length > 1) throw refused(`several steps ask, say which: ${named.join(', ')}`)
  const settled =
    rows.find((row) => pathOf(row) === step) ?? rows.find((row) => stepIdOf(pathOf(row)) === step)
  if (settled) throw refusedAsItStands(`${pathOf(settled)} of ${runId} ${settledText(settled)}`, runId)
  if (open.length === 0) throw refusedAsItStands(`${runId} asks nothing now`, runId)
  const near = nearest(step, open)
  const meant = near === undefined ? `what does: ${open.join(', ')}` : `did you mean ${near}?`
  throw refused(`${step} of ${runId} does not wait for an answer; ${meant}`)
}

function settledText(row: Row): string {
  const { status, answer } = readQuestionRow(row)
  if (!answer) {
    return status === 'expired'
      ? 'waits no more: the time for an answer is over'
      : 'waits no more: it was cancelled'
  }
  const { approved, by, at } = answer
  return `was ${approved ? 'approved' : 'rejected'} by ${by} at ${at}: the first answer counts`
}
