import { CancellationScope, condition, proxyLocalActivities } from '@temporalio/workflow'
import type { RunEvent } from '../../../../core/events.ts'
import type { Cancellation, QuestionLog } from '../../../../core/host/index.ts'
import {
  type AnswerDecision,
  type AskedQuestion,
  answeredEvent,
  asReplaced,
  chooseQuestions,
  decideAnswer,
  type GivenAnswer,
  givenInAdvance,
  isSameQuestion,
  keepNewestQuestions,
  type People,
  type QuestionRecord,
  type RecordedAnswer,
  recordedAnswer,
  settlingAnswer,
  withoutComment,
} from '../../../../core/people/index.ts'
import { changedBy, type RunHistory } from '../../../../core/record/index.ts'
import { RunbookError } from '../../../../core/run-error.ts'
import { type AnswerOrder, peopleActivity, type RunStart } from '../../messages.ts'
import { waitUntilTimer } from '../timers.ts'
import type { QuestionReminders } from './reminders.ts'

/** The questions of a run. */
export interface Questions extends QuestionLog {
  /** Throws `InvalidInput` when no such step asks, when what was shown has changed, or when the answer does not count. */
  check(order: AnswerOrder): void
  /** Records an answer to all questions that it is for, or to none. Throws as {@link check} does. */
  answer(order: AnswerOrder): readonly RecordedAnswer[]
  list(): readonly QuestionRecord[]
}

/** What asking needs. */
export interface QuestionsOptions extends Pick<RunHistory, 'resumes' | 'decisions'> {
  readonly start: Pick<RunStart, 'runId' | 'approvedBy' | 'startedBy' | 'startedFrom' | 'triggeredBy'>
  /** The questions of earlier executions. */
  readonly asked: readonly QuestionRecord[]
  /** Cancelled when the run is to continue as a new execution: questions stop waiting. */
  readonly draining: Cancellation
  /** Reports an answer that counts, where more people must answer. */
  readonly report: (event: RunEvent) => void
  /** Called once for each question. */
  readonly onAsked: (question: AskedQuestion, askedAtMs: number) => void
  readonly reminders: QuestionReminders
}

export function createQuestions({
  start,
  resumes,
  decisions,
  asked,
  draining,
  report,
  onAsked,
  reminders,
}: QuestionsOptions): Questions {
  const { runId, approvedBy, startedBy, startedFrom, triggeredBy } = start
  const starters = [
    ...(startedFrom ? [] : [startedBy]),
    ...(triggeredBy ? [triggeredBy] : []),
    ...changedBy({ resumes, decisions }),
  ]
  let replaced = asked.filter((one) => one.is_superseded)
  const records = new Map(asked.flatMap((one) => (one.is_superseded ? [] : [[one.path, one] as const])))
  const set = (path: string, change: Partial<QuestionRecord>): undefined => {
    const record = records.get(path)
    if (!record) return
    records.set(path, { ...record, ...change })
    // The state of a run has a limit, and a run can ask often.
    const kept = keepNewestQuestions([...replaced, ...records.values()])
    replaced = kept.slice(0, replaced.length)
    for (const one of kept.slice(replaced.length)) records.set(one.path, one)
  }
  const decide = (path: string, given: GivenAnswer): AnswerDecision | undefined => {
    const question = records.get(path)
    if (question?.status !== 'open') return undefined
    const { answers, until } = question
    return decideAnswer({
      question,
      answers,
      starters,
      ...(until === undefined ? {} : { untilMs: Date.parse(until) }),
      nowMs: Date.now(),
      given,
    })
  }
  const record = (path: string, decision: AnswerDecision | undefined): void => {
    if (!decision || decision.kind === 'refused') return
    const { kind, answers } = decision
    const question = records.get(path)
    if (kind === 'counted' && question) report(withoutComment(answeredEvent(question, answers)))
    set(path, { answers, ...(kind === 'settled' ? { status: 'answered' } : {}) })
  }
  /** The decision about an answer. Throws where it does not count. */
  const decideOne = (path: string, given: GivenAnswer): Decided => {
    const decision = decide(path, given)
    const question = records.get(path)
    if (!decision || !question) throw new RunbookError('InternalDefect', `${path} is not open`)
    return { decision, recorded: recordedAnswer(question, decision, runId) }
  }
  const decideOrder = ({ step, shown, ...given }: AnswerOrder): readonly Decided[] =>
    chooseQuestions([...records.values()], { step, shown }, runId).map((path) => decideOne(path, given))
  const take = ({ decision, recorded }: Decided): RecordedAnswer => {
    record(recorded.step, decision)
    return recorded
  }
  return {
    read(path) {
      const record = records.get(path)
      const answer = record && settlingAnswer(record)
      return answer ? { ...record, answeredAtMs: Date.parse(answer.at) } : record
    },
    // In the history of the run, so that a replay asks the same people.
    people: () => CancellationScope.nonCancellable(() => local[peopleActivity]()),
    open(question, askedAtMs) {
      const { timeoutMs, ...asked } = question
      const { path } = question
      const until = timeoutMs === undefined ? {} : { until: isoTime(askedAtMs + timeoutMs) }
      const before = records.get(path)
      const { answers = [] } = reopened(before, question) ?? {}
      records.set(path, { ...asked, asked_at: isoTime(askedAtMs), ...until, status: 'open', answers })
      if (before?.status === 'open') return undefined
      reminders.forget(path)
      onAsked(question, askedAtMs)
      return undefined
    },
    setAside(path) {
      const record = records.get(path)
      records.delete(path)
      if (!record) return undefined
      replaced = [...replaced, asReplaced(record)]
      return undefined
    },
    async settled(question, endMs, cancellation) {
      const { path } = question
      const given = approvedBy && givenInAdvance(question, approvedBy)
      if (given) record(path, decide(path, given))
      const isSettled = (): boolean =>
        records.get(path)?.status !== 'open' ||
        cancellation.reason !== undefined ||
        draining.reason !== undefined
      const askedAtMs = Date.parse(records.get(path)?.asked_at ?? '')
      while (!isSettled() && Date.now() < endMs) {
        const wakeMs = Math.min(endMs, reminders.nextAtMs(question, askedAtMs))
        if (wakeMs === Number.POSITIVE_INFINITY) await condition(isSettled)
        else await waitUntilTimer(wakeMs, isSettled)
        if (!isSettled() && wakeMs < endMs) reminders.remind(question, askedAtMs, Date.now())
      }
      if (records.get(path)?.status !== 'open') reminders.forget(path)
    },
    close(path, status) {
      reminders.forget(path)
      return set(path, { status })
    },
    check: (order) => void decideOrder(order),
    // All are decided before the first is recorded.
    answer: (order) => decideOrder(order).map(take),
    list: () => [...replaced, ...records.values()],
  }
}

/** A decision, and the result for the giver of the answer. */
interface Decided {
  readonly decision: AnswerDecision
  readonly recorded: RecordedAnswer
}

/** A question that is asked again keeps the answers that counted. */
function reopened(before: QuestionRecord | undefined, question: AskedQuestion): QuestionRecord | undefined {
  return before && isKept.has(before.status) && isSameQuestion(before, question) ? before : undefined
}

const isKept: ReadonlySet<QuestionRecord['status']> = new Set(['withdrawn', 'open'])

const local = proxyLocalActivities<{ readonly [peopleActivity]: () => Promise<People> }>({
  startToCloseTimeout: '10 seconds',
})

function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString()
}
