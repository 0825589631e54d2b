import { condition } from '@temporalio/workflow'
import type { Cancellation } from '../../../../core/cancellation.ts'
import type { QuestionLog } from '../../../../core/host/index.ts'
import {
  type AnswerDecision,
  decideAnswer,
  type GivenAnswer,
  givenInAdvance,
  isSameQuestion,
  type Question,
  type RecordedAnswer,
  recordedAnswer,
} from '../../../../core/people/index.ts'
import { chooseQuestion, type QuestionRecord } from '../../../../core/record/index.ts'
import { RunbookError } from '../../../../core/run-error.ts'
import type { AnswerOrder, RunStart } from '../../messages.ts'
import { waitUntil } from '../timers.ts'

/** The questions of a run. */
export interface Questions extends QuestionLog {
  /** Throws `InvalidInput` when no such step asks, or when the answer does not count. */
  check(order: AnswerOrder): void
  /** Records an answer, and returns what it did. Throws as {@link check} does. */
  answer(order: AnswerOrder): RecordedAnswer
  list(): readonly QuestionRecord[]
}

/** What asking needs. */
export interface QuestionsOptions {
  readonly start: Pick<RunStart, 'runId' | 'approvedBy' | 'startedBy' | 'startedFrom'>
  /** The questions of earlier executions. */
  readonly asked: readonly QuestionRecord[]
  /** Cancelled when the run is to continue as a new execution: questions stop waiting. */
  readonly draining: Cancellation
  /** Called once for each question. */
  readonly onAsked: (question: Question, askedAtMs: number) => void
}

export function createQuestions({ start, asked, draining, onAsked }: QuestionsOptions): Questions {
  const { runId, approvedBy, startedBy, startedFrom } = start
  const records = new Map(asked.map((record) => [record.path, record]))
  const set = (path: string, change: Partial<QuestionRecord>): undefined => {
    const record = records.get(path)
    if (record) records.set(path, { ...record, ...change })
  }
  const choose = ({ step }: Pick<AnswerOrder, 'step'>): string =>
    chooseQuestion([...records.values()], step, runId)
  const decide = (path: string, given: GivenAnswer): AnswerDecision | undefined => {
    const question = records.get(path)
    if (question?.status !== 'open') return undefined
    const { answers, until } = question
    return decideAnswer({
      question,
      answers,
      ...(startedFrom ? {} : { startedBy }),
      ...(until === undefined ? {} : { untilMs: Date.parse(until) }),
      nowMs: Date.now(),
      given,
    })
  }
  const record = (path: string, decision: AnswerDecision | undefined): void => {
    if (!decision || decision.kind === 'refused') return
    const { kind, answers } = decision
    const answer = answers.at(-1)
    set(path, { answers, ...(kind === 'settled' && answer ? { status: 'answered', answer } : {}) })
  }
  /** The decision about an answer. Throws where it does not count. */
  const decideOrder = ({
    step,
    ...given
  }: AnswerOrder): { readonly decision: AnswerDecision | undefined; readonly recorded: RecordedAnswer } => {
    const path = choose({ step })
    const decision = decide(path, given)
    const question = records.get(path)
    if (!decision || !question) throw new RunbookError('InternalDefect', `${path} is not open`)
    return { decision, recorded: recordedAnswer(question, decision, runId) }
  }
  return {
    read(path) {
      const record = records.get(path)
      return record?.answer ? { ...record, answeredAtMs: Date.parse(record.answer.at) } : record
    },
    open(question, askedAtMs) {
      const { timeoutMs, ...asked } = question
      const { path } = question
      const until = timeoutMs === undefined ? {} : { until: isoTime(askedAtMs + timeoutMs) }
      const { answers = [] } = reopened(records.get(path), question) ?? {}
      records.set(path, { ...asked, asked_at: isoTime(askedAtMs), ...until, status: 'open', answers })
      onAsked(question, askedAtMs)
      return undefined
    },
    // The next question of the step replaces it.
    setAside: () => undefined,
    async settled(question, endMs, cancellation) {
      const { path } = question
      const given = approvedBy && givenInAdvance(question, approvedBy)
      if (given) record(path, decide(path, given))
      const isSettled = (): boolean =>
        records.get(path)?.status !== 'open' ||
        cancellation.reason !== undefined ||
        draining.reason !== undefined
      if (endMs === Number.POSITIVE_INFINITY) await condition(isSettled)
      else await waitUntil(endMs, isSettled)
    },
    close: (path, status) => set(path, { status }),
    check: (order) => void decideOrder(order),
    answer(order) {
      const { decision, recorded } = decideOrder(order)
      record(recorded.step, decision)
      return recorded
    },
    list: () => [...records.values()],
  }
}

/** A withdrawn question that is asked again keeps the answers that counted. */
function reopened(before: QuestionRecord | undefined, question: Question): QuestionRecord | undefined {
  return before?.status === 'withdrawn' && isSameQuestion(before, question) ? before : undefined
}

function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString()
}
