import { createWaitingLane, type WaitingLane } from '../../../api/wait-for-place.ts'
import { steadyNow } from '../../../api/waits.ts'
import type { RateWindow } from '../../../core/rate-windows.ts'
import type { LimiterPort } from './limiter-port.ts'
import {
  askUpdate,
  type HandedPermits,
  noteSignal,
  type RateAnswer,
  type RateAsk,
  type RateNotes,
} from './messages.ts'
import { createRateStock, type RateStock } from './rate-stock.ts'

/** The callers of one key in this process. */
export interface RateLane extends WaitingLane {
  readonly stock: RateStock
  /** Why there is no place, and until when, as far as that is known. */
  wait: { readonly reason: 'budget' | 'throttle'; readonly untilMs: number } | undefined
  pausedUntilMs: number
  /** Asks for what is missing, unless that has been done: `ahead` for nobody who waits. */
  refill(windows: readonly RateWindow[], ahead?: 'ahead'): void
  /** Takes what the limiter hands to this process after a wait. */
  take(handed: Pick<HandedPermits, 'ask' | 'answer'>): void
  /** When asking is of use again: never while an answer is on its way. */
  askAgainMs(): number
  wake(): void
  /** Something is to be told. */
  noted(): void
  pause(untilMs: number): void
  close(): Promise<void>
}

/** What has happened is told so soon where somebody may wait for it. */
const soonMs = 20
/** And so soon where nobody is known to. */
const laterMs = 1000
const retryMs = 1000
/** A process that waits asks again this often: a limiter that was terminated, or has passed it by, knows of it again. */
const repeatMs = 3000
/** An answer to an older question than this many is not waited for any more. */
const keptQuestions = 4
/** Places to have in store, for whoever is alone. */
const leastAhead = 4
const mostAhead = 200

/** `key`: what the process calls the limiter. `process`: its task queue. */
export function createRateLane(port: LimiterPort, key: string, process: string): RateLane {
  const stock = createRateStock()
  const closing = new AbortController()
  let isAsking = false
  /** The process is in line until another one reports something: it may be this one. */
  let isWaiting = false
  let asks = 0
  /** When the last questions went out, by their numbers. */
  const askedAtMs = new Map<number, number>()
  let handed = 0
  let endWait = (): void => {}
  let isShared = false
  let ahead = leastAhead
  let wayMs = 0
  let askAgainMs = 0
  let timer: { readonly atMs: number; readonly timeout: NodeJS.Timeout } | undefined

  const wake = (): void => lane.sleep?.wake()
  const ask = async (windows: readonly RateWindow[], want: number): Promise<void> => {
    isAsking = true
    isWaiting = want > 0
    try {
      let missing = want
      do {
        if (!(await askOnce(windows, missing)).isWaiting) break
        await waitForPlaces()
        missing = lane.waiting - stock.count()
      } while (handed < asks && missing > 0 && !closing.signal.aborted)
    } catch {
      // Only what is closed stops asking.
    } finally {
      isAsking = false
      isWaiting = false
      wake()
      schedule()
    }
  }
  const askOnce = async (windows: readonly RateWindow[], want: number): Promise<RateAnswer> => {
    const askedMs = steadyNow()
    const notes = stock.takeNotes()
    // They go along with the question: what comes after them has its own time.
    clearTimeout(timer?.timeout)
    timer = undefined
    schedule()
    askedAtMs.set(++asks, askedMs)
    askedAtMs.delete(asks - keptQuestions)
    const few = isShared ? 0 : ahead
    const order: RateAsk = { process, key, ask: asks, notes, windows, want, ahead: few, wayMs }
    try {
      const answer = await port.ask<RateAnswer>(askUpdate, order, closing.signal)
      if (!answer.isWaiting) hear(answer, askedMs)
      return answer
    } catch (thrown) {
      stock.restore(notes, askedMs)
      throw thrown
    }
  }
  /** Until the process is handed what it waits for, or it is time to ask again. */
  const waitForPlaces = (): Promise<void> =>
    new Promise((resolve) => {
      if (handed === asks) return resolve()
      const timer = setTimeout(resolve, repeatMs).unref()
      endWait = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const hear = (answer: RateAnswer, askedMs: number): void => {
    const heardMs = steadyNow()
    isShared = answer.isShared
    // One that was quick says little of the next one.
    wayMs = Math.max(Math.ceil(heardMs - askedMs - (answer.heldMs ?? 0)), Math.floor(wayMs / 2))
    stock.add(answer, askedMs, heardMs)
    askAgainMs = heardMs + (answer.askAgainInMs ?? 0)
    const { reason, freeInMs } = answer
    lane.wait = reason && freeInMs !== undefined ? { reason, untilMs: heardMs + freeInMs } : undefined
  }
  const tell = async (order: Omit<RateNotes, 'process'>): Promise<void> => {
    const takenMs = steadyNow()
    try {
      await port.tell(noteSignal, { process, ...order } satisfies RateNotes)
    } catch {
      stock.restore(order.notes, takenMs)
      schedule(retryMs)
      if (order.pauseMs !== undefined) setTimeout(() => lane.pause(lane.pausedUntilMs), retryMs).unref()
    }
  }
  /** What is to be told is told in time, and what is not used any more is given back. */
  const schedule = (leastMs = 0): void => {
    if (closing.signal.aborted) return
    const lastMs = stock.lastMs()
    const now = steadyNow()
    const notesMs = stock.hasNotes()
      ? now + Math.max(leastMs, isShared || isWaiting ? soonMs : laterMs)
      : undefined
    const atMs = Math.min(notesMs ?? Number.POSITIVE_INFINITY, lastMs ?? Number.POSITIVE_INFINITY)
    if (atMs === Number.POSITIVE_INFINITY || (timer && timer.atMs <= atMs)) return
    clearTimeout(timer?.timeout)
    const timeout = setTimeout(() => {
      timer = undefined
      if (stock.wasTooMuch()) ahead = Math.max(leastAhead, ahead / 2)
      if (stock.hasNotes()) void tell({ notes: stock.takeNotes() }).finally(() => schedule())
      else schedule()
    }, atMs - now)
    timer = { atMs, timeout: timeout.unref() }
  }
  const lane: RateLane = {
    ...createWaitingLane(),
    stock,
    wait: undefined,
    pausedUntilMs: 0,
    refill(windows, forLater) {
      if (isAsking || steadyNow() < askAgainMs) return
      const stored = stock.count()
      const want = forLater ? 0 : Math.max(0, lane.waiting - stored)
      if (want > 0 && !isShared) ahead = Math.min(mostAhead, ahead * 2)
      if (want > 0 || (!isShared && stored < ahead / 2)) void ask(windows, want)
    },
    askAgainMs() {
      const hasAsked = isAsking || stock.count() >= lane.waiting
      return hasAsked ? Number.POSITIVE_INFINITY : Math.max(askAgainMs, steadyNow() + 1)
    },
    take({ ask: number, answer }) {
      const askedMs = askedAtMs.get(number)
      // For how long they are good depends on the question, and that one is forgotten.
      if (askedMs === undefined) for (const { slot } of answer.places) stock.note(slot, 'unused', steadyNow())
      else hear(answer, askedMs)
      handed = Math.max(handed, number)
      endWait()
      wake()
      schedule()
    },
    wake,
    noted: schedule,
    pause(untilMs) {
      lane.pausedUntilMs = Math.max(lane.pausedUntilMs, untilMs)
      wake()
      const pauseMs = Math.ceil(untilMs - steadyNow())
      if (pauseMs > 0) void tell({ notes: stock.takeNotes(), pauseMs })
    },
    async close() {
      closing.abort()
      endWait()
      clearTimeout(timer?.timeout)
      for (let place = stock.take(); place; place = stock.take()) stock.note(place.slot, 'unused', 0)
      if (stock.hasNotes()) await tell({ notes: stock.takeNotes() })
    },
  }
  return lane
}
