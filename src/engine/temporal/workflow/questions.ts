import { condition } from '@temporalio/workflow'
import type { Cancellation } from '../../../core/cancellation.ts'
import type { Answer, Question } from '../../../core/host.ts'
import { nearest } from '../../../core/nearest.ts'
import type { QuestionRecord } from '../../../core/record/run-record.ts'
import { RunbookError } from '../../../core/run-error.ts'
import type { AnswerOrder, RunStart } from '../messages.ts'
import { waitUntil } from './wait-until.ts'

/** What a run asks people. Whoever answers first has answered. */
export interface Questions {
  ask(question: Question, askedAtMs: number, cancellation: Cancellation): Promise<Answer | undefined>
  /** The path of the step that an answer is for. Throws `InvalidInput` where no such step asks. */
  choose(order: AnswerOrder): string
  answer(order: AnswerOrder): string
  list(): readonly QuestionRecord[]
}

export function createQuestions({ runId, approvedBy }: Pick<RunStart, 'runId' | 'approvedBy'>): Questions {
  const records = new Map<string, QuestionRecord>()
  const set = (path: string, change: Partial<QuestionRecord>): void => {
    const record = records.get(path)
    if (record) records.set(path, { ...record, ...change })
  }
  const choose = ({ step }: Pick<AnswerOrder, 'step'>): string =>
    choosePath([...records.values()], step, runId)
  return {
    async ask({ path, message, timeoutMs }, askedAtMs, cancellation) {
      const endMs = timeoutMs === undefined ? undefined : askedAtMs + timeoutMs
      records.set(path, {
        path,
        message,
        asked_at: isoTime(askedAtMs),
        ...(endMs === undefined ? {} : { until: isoTime(endMs) }),
        status: 'open',
      })
      if (approvedBy !== undefined) {
        const comment = 'approved in advance, for the whole run'
        set(path, {
          status: 'answered',
          answer: { approved: true, by: approvedBy, comment, at: isoTime(Date.now()) },
        })
      }
      const isSettled = (): boolean =>
        records.get(path)?.status !== 'open' || cancellation.reason !== undefined
      if (endMs === undefined) await condition(isSettled)
      else await waitUntil(endMs, isSettled)
      const { status, answer } = records.get(path) ?? {}
      if (status === 'open') set(path, { status: cancellation.reason ? 'withdrawn' : 'expired' })
      return answer
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

function choosePath(records: readonly QuestionRecord[], step: string, runId: string): string {
  const open = records.flatMap(({ path, status }) => (status === 'open' ? [path] : []))
  const named = open.includes(step) ? [step] : open.filter((path) => isStep(path, step))
  const [only] = named
  if (only !== undefined && named.length === 1) return only
  if (named.length > 1) throw refused(`several steps ask, say which: ${named.join(', ')}`)
  const settled = records.find(({ path }) => path === step) ?? records.find(({ path }) => isStep(path, step))
  if (settled) throw refused(`${settled.path} of ${runId} ${settledText(settled)}`)
  if (open.length === 0) throw refused(`${runId} asks nothing now`)
  const near = nearest(step, open)
  const meant = near === undefined ? `what does: ${open.join(', ')}` : `did you mean ${near}?`
  throw refused(`${step} of ${runId} does not wait for an answer; ${meant}`)
}

function isStep(path: string, step: string): boolean {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\[\d+\]$/, '') === step
}

function settledText({ status, answer }: QuestionRecord): string {
  if (answer) {
    const { approved, by, at } = answer
    return `was ${approved ? 'approved' : 'rejected'} by ${by} at ${at}: the first answer counts`
  }
  return status === 'expired'
    ? 'waits no more: the time for an answer is over'
    : 'waits no more: it was cancelled'
}

function refused(message: string): RunbookError {
  return new RunbookError('InvalidInput', message, { notSent: true })
}
