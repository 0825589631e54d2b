import { condition } from '@temporalio/workflow'
import type { Cancellation } from '../../../../core/cancellation.ts'
import type { Question, QuestionLog } from '../../../../core/host/index.ts'
import { chooseQuestion, type QuestionRecord } from '../../../../core/record/index.ts'
import type { AnswerOrder, RunStart } from '../../messages.ts'
import { waitUntil } from '../timers.ts'

/** The questions of a run. The first answer counts. */
export interface Questions extends QuestionLog {
  /** The path of the step that an answer is for. Throws `InvalidInput` when no such step asks. */
  choose(order: AnswerOrder): string
  answer(order: AnswerOrder): string
  list(): readonly QuestionRecord[]
}

/** What asking needs. */
export interface QuestionsOptions {
  readonly start: Pick<RunStart, 'runId' | 'approvedBy'>
  /** The questions of earlier executions. */
  readonly asked: readonly QuestionRecord[]
  /** Cancelled when the run is to continue as a new execution: questions stop waiting. */
  readonly draining: Cancellation
  /** Called once for each question. */
  readonly onAsked: (question: Question, askedAtMs: number) => void
}

export function createQuestions({ start, asked, draining, onAsked }: QuestionsOptions): Questions {
  const { runId, approvedBy } = start
  const records = new Map(asked.map((record) => [record.path, record]))
  const set = (path: string, change: Partial<QuestionRecord>): undefined => {
    const record = records.get(path)
    if (record) records.set(path, { ...record, ...change })
  }
  const choose = ({ step }: Pick<AnswerOrder, 'step'>): string =>
    chooseQuestion([...records.values()], step, runId)
  return {
    read(path) {
      const record = records.get(path)
      return record?.answer ? { ...record, answeredAtMs: Date.parse(record.answer.at) } : record
    },
    open(question, askedAtMs) {
      const { path, message, timeoutMs } = question
      const until = timeoutMs === undefined ? {} : { until: isoTime(askedAtMs + timeoutMs) }
      records.set(path, { path, message, asked_at: isoTime(askedAtMs), ...until, status: 'open' })
      onAsked(question, askedAtMs)
      return undefined
    },
    // The next question of the step replaces it.
    setAside: () => undefined,
    async settled({ path }, endMs, cancellation) {
      if (approvedBy !== undefined) {
        const comment = 'approved in advance, for the whole run'
        const at = isoTime(Date.now())
        set(path, { status: 'answered', answer: { approved: true, by: approvedBy, comment, at } })
      }
      const isSettled = (): boolean =>
        records.get(path)?.status !== 'open' ||
        cancellation.reason !== undefined ||
        draining.reason !== undefined
      if (endMs === Number.POSITIVE_INFINITY) await condition(isSettled)
      else await waitUntil(endMs, isSettled)
    },
    close: (path, status) => set(path, { status }),
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
