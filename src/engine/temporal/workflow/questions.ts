import { condition } from '@temporalio/workflow'
import type { Cancellation } from '../../../core/cancellation.ts'
import type { Answer, Question } from '../../../core/host.ts'
import { nearest } from '../../../core/nearest.ts'
import type { QuestionRecord } from '../../../core/record/run-record.ts'
import { RunbookError } from '../../../core/run-error.ts'
import type { AnswerOrder, RunStart } from '../messages.ts'
import type { Drain } from './drain.ts'
import type { RunMemory } from './run-memory.ts'
import { waitUntil } from './wait-until.ts'

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
  readonly memory: Pick<RunMemory, 'replay' | 'caughtUp'>
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
    choosePath([...records.values()], step, runId)
  return {
    async ask(question, askedAtMs, cancellation, drain) {
      const { path, message, timeoutMs } = question
      const endMs = timeoutMs === undefined ? undefined : askedAtMs + timeoutMs
      const known = records.get(path)
      if (known?.status === 'answered' || known?.status === 'expired') {
        await memory.replay.past(known.answer ? Date.parse(known.answer.at) : (endMs ?? askedAtMs))
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
