import { stepIdOf } from '../plan/step-address.ts'
import { type RunbookError, refused, refusedAsItStands } from '../run-error.ts'
import { nearest } from '../text/nearest.ts'
import { settlingAnswer } from './decide-answer.ts'
import { answererText } from './identity.ts'
import type { Answer, QuestionRecord } from './question.ts'

/** What is looked at of a question. */
export type KnownQuestion = Pick<QuestionRecord, 'path' | 'status' | 'answers' | 'is_superseded'>

/**
 * The path of the open question that an approver answers, by the path of its step, or by its id where only one such
 * step asks. Throws `InvalidInput` where no step or several steps ask. After an earlier answer, the message names its
 * author.
 * `label`: how messages name a path.
 */
export function chooseQuestion(
  questions: readonly KnownQuestion[],
  step: string,
  runId: string,
  label: (path: string) => string = (path) => path,
): string {
  const open = questions.flatMap(({ path, status }) => (status === 'open' ? [path] : []))
  const named = open.includes(step) ? [step] : open.filter((path) => stepIdOf(path) === step)
  const [only] = named
  if (only !== undefined && named.length === 1) return only
  if (named.length > 1)
    throw refused(`several steps ask, say which: ${named.map((path) => label(path)).join(', ')}`)
  const current = questions.filter((one) => !one.is_superseded)
  const settled =
    current.find(({ path }) => path === step) ?? current.find(({ path }) => stepIdOf(path) === step)
  if (settled) throw refusedAsSettled(settled, runId, label)
  if (open.length === 0) throw refusedAsItStands(`${runId} asks nothing now`, runId)
  const near = nearest(step, open)
  const meant =
    near === undefined
      ? `what does: ${open.map((path) => label(path)).join(', ')}`
      : `did you mean ${label(near)}?`
  throw refused(`${step} of ${runId} does not wait for an answer; ${meant}`)
}

/** What an answer did: `approved`, `rejected`, or `answered` with a value. */
export function answeredWord({
  approved,
  value,
  is_value_left_out,
}: Pick<Answer, 'approved' | 'value' | 'is_value_left_out'>): string {
  if (value !== undefined || is_value_left_out) return 'answered'
  return approved ? 'approved' : 'rejected'
}

/** Refuses an answer to a question that needs none any more: who answered it, and when. */
export function refusedAsSettled(
  settled: KnownQuestion,
  runId: string,
  label: (path: string) => string = (path) => path,
): RunbookError {
  return refusedAsItStands(`${label(settled.path)} of ${runId} ${settledText(settled)}`, runId)
}

function settledText(question: KnownQuestion): string {
  const answer = settlingAnswer(question)
  if (answer) {
    const { by, at } = answer
    return `was ${answeredWord(answer)} by ${answererText(by)} at ${at}`
  }
  return question.status === 'expired'
    ? 'waits no more: the time for an answer is over'
    : 'waits no more: it was cancelled'
}
