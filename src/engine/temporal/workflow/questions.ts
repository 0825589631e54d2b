import { condition } from '@temporalio/workflow'
import type { Cancellation } from '../../../core/cancellation.ts'
import type { Answer, Question } from '../../../core/host.ts'
import { chooseQuestion } from '../../../core/record/choose-question.ts'
import type { QuestionRecord } from '../../../core/record/run-record.ts'
import type { AnswerOrder, RunStart } from '../messages.ts'
import type { Drain } from './drain.ts'
import { waitUntil } from './wait-until.ts'
import type { WorkflowMemory } from './workflow-memory.ts'

/** What a run asks people. Whoever answers first has answered. */
export interface Questions {
  ask(
    question: Question,
    askedAtMs: number,
    cancellation: Cancellation,
    drain: Pick<Drain, 'isBegun' | 'stopHere'>,
  ): Promise<Answer | undefined>
  /** The path of the step that an answer is for. Throws `InvalidInput` where no such step asks. */
  choose(order: AnswerOrder): string
  answer(order: AnswerOrder): string
  list(): readonly QuestionRecord[]
}

/** What asking takes. */
export interface QuestionsOptions {
  readonly start: Pick<RunStart, 'runId' | 'approvedBy'>
  /** What executions before this one have asked. */
  readonly asked: readonly QuestionRecord[]
  readonly memory: Pick<WorkflowMemory, 'replay' | 'caughtUp'>
  /** Told of each question once. */
  readonly tell: (question: Question, askedAtMs: number) => void
}

export function createQuestions({ start, asked, memory, tell }: QuestionsOptions): Questions {
  const { runId, approvedBy } = start
  const records = new Map(asked.map((record) => [record.path, record]))
  const set = (path: string, change: Partial<QuestionRecord>): void => {
    const record = records.get(path)
    if (record) records.set(path, { ...record, ...change })
  }
  const choose = ({ step }: Pick<AnswerOrder, 'step'>): string =>
    chooseQuestion([...records.values()], step, runId)
  return {
    async ask(question, askedAtMs, cancellation, drain) {
      const { path, message, timeoutMs } = question
      const endMs = timeoutMs === undefined ? undefined : askedAtMs + timeoutMs
      const known = records.get(path)
      if (known?.status === 'answered' || known?.status === 'expired') {
        await memory.replay.waitForTurn(known.answer ? Date.parse(known.answer.at) : (endMs ?? askedAtMs))
        return known.answer
      }
      await memory.caughtUp
      drain.stopHere()
      records.set(path, {
        path,
        message,
        asked_at: isoTime(askedAtMs),
        ...(endMs === undefined ? {} : { until: isoTime(endMs) }),
        status: 'open',
      })
      if (known?.status !== 'open') tell(question, askedAtMs)
      if (approvedBy !== undefined) {
        const comment = 'approved in advance, for the whole run'
        const at = isoTime(Date.now())
        set(path, { status: 'answered', answer: { approved: true, by: approvedBy, comment, at } })
      }
      const isOpen = (): boolean => records.get(path)?.status === 'open'
      const isSettled = (): boolean => !isOpen() || cancellation.reason !== undefined || drain.isBegun()
      if (endMs === undefined) await condition(isSettled)
      else await waitUntil(endMs, isSettled)
      if (!isOpen()) return records.get(path)?.answer
      if (cancellation.reason) set(path, { status: 'withdrawn' })
      else if (endMs !== undefined && endMs <= Date.now()) set(path, { status: 'expired' })
      else drain.stopHere()
      return undefined
    },
    choose,
    answer(order) {
      const path = choose(order)
      const { approved, by, comment } = order
      const said = { approved, by, ...(comment === undefined ? {} : { comment }), at: isoTime(Date.now()) }
      set(path, { status: 'answered', answer: said })
      return path
    },
    list: () => [...records.values()],
  }
}

function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString()
}
