import { type Cancellation, createCancellation } from '../../core/cancellation.ts'
import type { Answer, Question } from '../../core/host.ts'
import type { ReplayOrder } from '../../core/record/replay-order.ts'
import type { Clock } from '../attempt/clock.ts'
import type { AskHere } from '../engine.ts'
import { systemIdentity } from '../record/system-user.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { Marks } from './marks.ts'
import type { QuestionRows } from './question-rows.ts'

/** What asking needs. */
export interface AskPorts {
  readonly clock: Clock
  readonly queue: CommitQueue
  readonly rows: QuestionRows
  readonly marks: Marks
  readonly askHere: AskHere | undefined
  /** The process is to stop: the question stays open. */
  readonly interrupt: Cancellation
  readonly replay: ReplayOrder
}

/** How long an answer that another process writes may lie there. */
const pollMs = 200

/**
 * Asks, and waits for whoever answers first: somebody here, or somebody who writes the answer into the table from
 * another process. What has been asked before, by this process or one before it, is not asked anew.
 */
export async function askPerson(
  question: Question,
  askedAtMs: number,
  ports: AskPorts,
  cancellation: Cancellation,
): Promise<Answer | undefined> {
  const { clock, queue, rows, marks, interrupt, replay } = ports
  const { path, timeoutMs } = question
  const found = rows.read(path)
  // After an amendment the same step can ask for something else: no answer of before is one to that.
  const isOther = found !== undefined && found.message !== question.message
  const known = isOther ? undefined : found
  const sinceMs = isOther ? marks.reachedAnew(path) : askedAtMs
  const endMs = timeoutMs === undefined ? Number.POSITIVE_INFINITY : sinceMs + timeoutMs
  if (known?.status === 'answered' || known?.status === 'expired') {
    await replay.waitForTurn(known.answer ? Date.parse(known.answer.at) : endMs)
    return known.answer
  }
  await replay.afterReplay()
  if (interrupt.reason) return undefined
  if (isOther) await queue.append(() => rows.setAside(path))
  if (known?.status !== 'open') await queue.append(() => rows.open(question, sinceMs))
  const here = rows.read(path)?.status === 'open' ? askHere(question, ports) : undefined
  try {
    for (;;) {
      const row = rows.read(path)
      if (row?.status !== 'open') return row?.answer
      if (here?.problem !== undefined) throw here.problem
      if (interrupt.reason) return undefined
      if (cancellation.reason) await queue.append(() => rows.withdraw(path))
      else if (endMs <= clock.now()) await queue.append(() => rows.expire(path))
      else await waitForNews(clock, endMs, [cancellation, interrupt, ...(here?.news ?? [])])
    }
  } finally {
    here?.end(rows.read(path)?.answer)
  }
}

/** Until that time, or as soon as there is news; and not so long that an answer in the table lies there unseen. */
async function waitForNews(clock: Clock, endMs: number, news: readonly Cancellation[]): Promise<void> {
  const look = createCancellation()
  // The time of others, and not that of the run.
  const timer = setTimeout(() => look.cancel({ code: 'Cancelled', message: 'time to look' }), pollMs)
  await clock.waitUntil(endMs, look, ...news)
  clearTimeout(timer)
}

/** A person here who is being asked. */
interface Asking {
  /** Cancelled when there is news: an answer in the table, or a problem. */
  readonly news: readonly Cancellation[]
  /** Why the answer could not be recorded. */
  readonly problem: unknown
  /** It is settled, by this answer where there is one. */
  end(answer: Answer | undefined): void
}

function askHere(question: Question, { clock, queue, rows, askHere: ask }: AskPorts): Asking | undefined {
  if (!ask) return undefined
  const news = createCancellation()
  const over = new AbortController()
  let problem: unknown
  const record = async (): Promise<void> => {
    // Somebody who cannot be asked here is no reason not to wait for others.
    const given = await ask(question, over.signal).catch(() => undefined)
    if (!given || over.signal.aborted) return
    try {
      await queue.append(() => rows.answer(question.path, given, clock.now()))
    } catch (error) {
      problem = error
    }
    news.cancel({ code: 'Cancelled', message: 'there is news' })
  }
  void record()
  return {
    news: [news],
    get problem() {
      return problem
    },
    end: (answer) => over.abort(answer),
  }
}

/** Says yes to everything, in the name of the person who started the run so. */
export const approveAll: AskHere = () =>
  Promise.resolve({ approved: true, by: systemIdentity(), comment: 'approved in advance, for the whole run' })
