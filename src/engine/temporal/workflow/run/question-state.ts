import type { QuestionRecord } from '../../../../core/people/index.ts'
import {
  type AnswerDecision,
  type AskedQuestion,
  asReplaced,
  chooseQuestions,
  decideAnswer,
  isSameQuestion,
  keepNewestQuestions,
  type RecordedAnswer,
  recordedAnswer,
} from '../../../../core/people/index.ts'
import { RunbookError } from '../../../../core/run-error.ts'
import { recordedTime } from '../../../../core/times/index.ts'
import type { AnswerOrder } from '../../messages.ts'

/** The questions of a run, without what waits for their answers. */
export interface QuestionState {
  /** By the paths of their steps. */
  readonly records: Map<string, QuestionRecord>
  /** Those that others have replaced. */
  replaced: readonly QuestionRecord[]
}

/** The state after these questions of earlier executions. */
export function questionState(asked: readonly QuestionRecord[]): QuestionState {
  return {
    records: new Map(asked.flatMap((one) => (one.is_superseded ? [] : [[one.path, one] as const]))),
    replaced: asked.filter((one) => one.is_superseded),
  }
}

export function listQuestions({ records, replaced }: QuestionState): readonly QuestionRecord[] {
  return [...replaced, ...records.values()]
}

/** A question that is asked again keeps the answers that counted, unless it is another one now. */
export function openQuestion({ records }: QuestionState, question: AskedQuestion, askedAtMs: number): void {
  const { timeoutMs, ...asked } = question
  const until = timeoutMs === undefined ? {} : { until: recordedTime(askedAtMs + timeoutMs) }
  const before = records.get(question.path)
  const isReopened = before !== undefined && isKept.has(before.status) && isSameQuestion(before, question)
  const answers = isReopened ? before.answers : []
  records.set(question.path, {
    ...asked,
    asked_at: recordedTime(askedAtMs),
    ...until,
    status: 'open',
    answers,
  })
}

const isKept: ReadonlySet<QuestionRecord['status']> = new Set(['withdrawn', 'open'])

/** Changes a question, if there is one. */
export function changeQuestion(
  state: QuestionState,
  path: string,
  change: Partial<QuestionRecord>,
): undefined {
  const { records, replaced } = state
  const record = records.get(path)
  if (!record) return
  records.set(path, { ...record, ...change })
  // The state of a run has a limit, and a run can ask often.
  const kept = keepNewestQuestions(listQuestions(state))
  state.replaced = kept.slice(0, replaced.length)
  for (const one of kept.slice(replaced.length)) records.set(one.path, one)
}

export function setQuestionAside(state: QuestionState, path: string): undefined {
  const record = state.records.get(path)
  state.records.delete(path)
  if (record) state.replaced = [...state.replaced, asReplaced(record)]
}

type Deciding = Parameters<typeof decideAnswer>[0]

/** What an answer to a question does. Undefined: the question is not open. */
export function decideOpen(
  question: QuestionRecord | undefined,
  given: Pick<Deciding, 'starters' | 'nowMs' | 'given'>,
): AnswerDecision | undefined {
  if (question?.status !== 'open') return undefined
  const { answers, until } = question
  const untilMs = until === undefined ? {} : { untilMs: Date.parse(until) }
  return decideAnswer({ question, answers, ...untilMs, ...given })
}

/** A decision, and the result for the giver of the answer. */
export interface DecidedAnswer {
  readonly decision: AnswerDecision
  readonly recorded: RecordedAnswer
}

/** What an answer does to each question that it is for. Throws where it does not count. */
export function decideOrder(
  { records }: QuestionState,
  { step, shown, ...given }: AnswerOrder,
  runId: string,
  asOf: Pick<Deciding, 'starters' | 'nowMs'>,
): readonly DecidedAnswer[] {
  return chooseQuestions([...records.values()], { step, shown }, runId).map((path) => {
    const question = records.get(path)
    const decision = decideOpen(question, { ...asOf, given })
    if (!decision || !question) throw new RunbookError('InternalDefect', `${path} is not open`)
    return { decision, recorded: recordedAnswer(question, decision, runId) }
  })
}
