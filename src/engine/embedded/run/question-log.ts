import type { RunEvent } from '../../../core/events.ts'
import { type Cancellation, createCancellation, type QuestionLog } from '../../../core/host/index.ts'
import {
  type Answer,
  type AnswerDecision,
  type AskedQuestion,
  answeredEvent,
  givenInAdvance,
  type People,
  settlingAnswer,
  withoutComment,
} from '../../../core/people/index.ts'
import type { Clock } from '../../attempt/index.ts'
import type { AskHere } from '../../index.ts'
import { systemIdentity } from '../../record/index.ts'
import type { CommitQueue } from '../database/commit-queue.ts'
import type { QuestionRows } from '../tables/question-rows.ts'

/** What asking takes. */
export interface QuestionLogOptions {
  readonly clock: Clock
  readonly queue: CommitQueue
  readonly rows: QuestionRows
  readonly askHere: AskHere | undefined
  readonly people: People | undefined
  /** Reports an answer that counts, where more people must answer. */
  report(event: RunEvent): void
  /** Cancelled when the process must stop: the question stays open. */
  readonly interrupt: Cancellation
}

/** How often the table is read for answers of other processes. */
const pollMs = 200

/**
 * The questions of a run in its database. The answer comes from the user of this process, or from another process that
 * writes it into the table.
 */
export function createQuestionLog(options: QuestionLogOptions): QuestionLog {
  const { clock, queue, rows, interrupt, report, people = {} } = options
  return {
    read(path) {
      const row = rows.read(path)
      const answer = row && settlingAnswer(row)
      return answer ? { ...row, answeredAtMs: Date.parse(answer.at) } : row
    },
    people: () => people,
    open: (question, askedAtMs) => queue.append(() => rows.open(question, askedAtMs)),
    setAside: (path) => queue.append(() => rows.setAside(path)),
    close: (path, status) =>
      queue.append(() => (status === 'expired' ? rows.expire(path) : rows.withdraw(path))),
    async settled(question, endMs, cancellation) {
      const left = Number.isFinite(endMs) ? { timeoutMs: Math.max(endMs - clock.now(), 0) } : {}
      const here = askHere({ ...question, ...left }, options)
      let counted = countedText(rows, question.path)
      const reportCounted = (): void => {
        const now = countedText(rows, question.path)
        if (now === counted) return
        counted = now
        const row = rows.read(question.path)
        if (row?.status === 'open') report(withoutComment(answeredEvent(row, row.answers)))
      }
      const isSettled = (): boolean =>
        rows.read(question.path)?.status !== 'open' ||
        interrupt.reason !== undefined ||
        cancellation.reason !== undefined ||
        endMs <= clock.now()
      try {
        while (!isSettled()) {
          if (here?.problem() !== undefined) throw here.problem()
          await waitForNews(clock, endMs, [cancellation, interrupt, ...(here?.news ?? [])])
          reportCounted()
        }
      } finally {
        const row = rows.read(question.path)
        const staysOpen = row?.status === 'open' && interrupt.reason && !cancellation.reason
        here?.end(staysOpen ? 'open' : row && settlingAnswer(row))
      }
    },
  }
}

function countedText(rows: QuestionRows, path: string): string {
  return JSON.stringify(rows.read(path)?.answers.map(({ by, at }) => [by.name, at]) ?? [])
}

/** Resolves at that time, at the next news, or after {@link pollMs}. */
async function waitForNews(clock: Clock, endMs: number, news: readonly Cancellation[]): Promise<void> {
  const poll = createCancellation()
  // Real time, since other processes do not share the clock of the run.
  const timer = setTimeout(() => poll.cancel({ code: 'Cancelled', message: 'time to poll' }), pollMs)
  await clock.waitUntil(endMs, poll, ...news)
  clearTimeout(timer)
}

/** The user of this process while the question is open. */
interface Asking {
  /** Cancelled when there is an answer in the table, or a problem. */
  readonly news: readonly Cancellation[]
  /** The reason why the answer could not be recorded. */
  problem(): unknown
  /** Ends asking here, with the answer if there is one. */
  end(why: Answer | 'open' | undefined): void
}

function askHere(
  question: AskedQuestion,
  { clock, queue, rows, askHere: ask }: QuestionLogOptions,
): Asking | undefined {
  if (!ask) return undefined
  const news = createCancellation()
  const over = new AbortController()
  let problem: unknown
  const record = async (): Promise<void> => {
    let decision: AnswerDecision | undefined
    do {
      // A failure to ask here does not end the wait for other processes.
      const given = await ask({ ...question, starters: rows.starters() }, over.signal, decision).catch(
        () => undefined,
      )
      if (!given || over.signal.aborted) return
      try {
        await queue.append(() => {
          const isShown = rows.read(question.path)?.shown === question.shown
          decision = isShown ? rows.answer(question.path, given, clock.now()) : undefined
        })
      } catch (error) {
        problem = error
        break
      }
      // The step asks something else by now: that was not seen here.
      if (decision === undefined) return
    } while (isOpenAfter(decision))
    news.cancel({ code: 'Cancelled', message: 'there is news' })
  }
  void record()
  return {
    news: [news],
    problem: () => problem,
    end: (why) => over.abort(why),
  }
}

function isOpenAfter(decision: AnswerDecision | undefined): boolean {
  return decision?.kind !== 'settled'
}

/** Answers what can be answered in advance, in the name of the user of this process. */
export function approveAll(otherwise: AskHere | undefined): AskHere {
  return async (question, signal, last) =>
    (last === undefined ? givenInAdvance(question, systemIdentity()) : undefined) ??
    otherwise?.(question, signal, last)
}
