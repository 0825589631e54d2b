import { CancellationScope, condition, proxyLocalActivities } from '@temporalio/workflow'
import type { RunEvent } from '../../../../core/events.ts'
import type { Cancellation, QuestionLog } from '../../../../core/host/index.ts'
import {
  type AnswerDecision,
  answeredEvent,
  type GivenAnswer,
  givenInAdvance,
  type People,
  type QuestionRecord,
  type RecordedAnswer,
  settlingAnswer,
  withoutComment,
} from '../../../../core/people/index.ts'
import { changedBy, startersOf } from '../../../../core/record/index.ts'
import { type AnswerOrder, peopleActivity, type RunExecution } from '../../messages.ts'
import type { Notifier } from '../notifications/notifier.ts'
import { waitUntilTimer } from '../timers.ts'
import {
  changeQuestion,
  type DecidedAnswer,
  decideOpen,
  decideOrder,
  listQuestions,
  openQuestion,
  questionState,
  setQuestionAside,
} from './question-state.ts'

/** The questions of a run. */
export interface Questions extends QuestionLog {
  /** Throws `InvalidInput` when no such step asks, when what was shown has changed, or when the answer does not count. */
  check(order: AnswerOrder): void
  /** Records an answer to all questions that it is for, or to none. Throws as {@link check} does. */
  answer(order: AnswerOrder): readonly RecordedAnswer[]
  list(): readonly QuestionRecord[]
}

/**
 * The questions of one execution of a run. `draining`: cancelled when the run is to continue as a new execution, and
 * questions stop waiting. `report`: an answer that counts, where more people must answer.
 */
export function createQuestions(
  { start, continued }: RunExecution,
  draining: Cancellation,
  report: (event: RunEvent) => void,
  notifier: Pick<Notifier, 'asked' | 'nextReminderMs' | 'remind' | 'forget'>,
): Questions {
  const { runId, approvedBy, startedBy, startedFrom, triggeredBy } = start
  const starters = [
    ...startersOf(startedBy, startedFrom),
    ...(triggeredBy ? [triggeredBy] : []),
    ...changedBy(continued),
  ]
  const state = questionState(continued.questions)
  const { records } = state
  const isOpen = (path: string): boolean => records.get(path)?.status === 'open'
  const decide = (path: string, given: GivenAnswer): AnswerDecision | undefined =>
    decideOpen(records.get(path), { starters, nowMs: Date.now(), given })
  const record = (path: string, decision: AnswerDecision | undefined): void => {
    if (!decision || decision.kind === 'refused') return
    const { kind, answers } = decision
    const question = records.get(path)
    if (kind === 'counted' && question) report(withoutComment(answeredEvent(question, answers)))
    changeQuestion(state, path, { answers, ...(kind === 'settled' ? { status: 'answered' } : {}) })
  }
  const decideNow = (order: AnswerOrder): readonly DecidedAnswer[] =>
    decideOrder(state, order, runId, { starters, nowMs: Date.now() })
  return {
    read(path) {
      const record = records.get(path)
      const answer = record && settlingAnswer(record)
      return answer ? { ...record, answeredAtMs: Date.parse(answer.at) } : record
    },
    // In the history of the run, so that a replay asks the same people.
    people: () => CancellationScope.nonCancellable(() => local[peopleActivity]()),
    open(question, askedAtMs) {
      const { path } = question
      const wasOpen = isOpen(path)
      openQuestion(state, question, askedAtMs)
      if (wasOpen) return undefined
      notifier.asked(question, askedAtMs)
      return undefined
    },
    setAside: (path) => setQuestionAside(state, path),
    async settled(question, endMs, cancellation) {
      const { path } = question
      const given = approvedBy && givenInAdvance(question, approvedBy)
      if (given) record(path, decide(path, given))
      const isSettled = (): boolean =>
        !isOpen(path) || cancellation.reason !== undefined || draining.reason !== undefined
      const askedAtMs = Date.parse(records.get(path)?.asked_at ?? '')
      while (!isSettled() && Date.now() < endMs) {
        const wakeMs = Math.min(endMs, notifier.nextReminderMs(question, askedAtMs))
        if (wakeMs === Number.POSITIVE_INFINITY) await condition(isSettled)
        else await waitUntilTimer(wakeMs, isSettled)
        if (!isSettled() && wakeMs < endMs) notifier.remind(question, askedAtMs, Date.now())
      }
      if (!isOpen(path)) notifier.forget(path)
    },
    close(path, status) {
      notifier.forget(path)
      return changeQuestion(state, path, { status })
    },
    check: (order) => void decideNow(order),
    answer: (order) =>
      // All are decided before the first is recorded.
      decideNow(order).map(({ decision, recorded }) => {
        record(recorded.step, decision)
        return recorded
      }),
    list: () => listQuestions(state),
  }
}

const local = proxyLocalActivities<{ readonly [peopleActivity]: () => Promise<People> }>({
  startToCloseTimeout: '10 seconds',
})
