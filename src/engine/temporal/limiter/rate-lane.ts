import { createWaitingLane, type WaitingLane } from '../../../api/wait-for-place.ts'
import { steadyNow } from '../../../api/waits.ts'
import type { RateWindow } from '../../../core/rate-windows.ts'
import type { LimiterPort } from './limiter-port.ts'
import { askUpdate, noteSignal, type RateAnswer, type RateAsk, type RateNotes } from './messages.ts'
import { createRateStock, type RateStock } from './rate-stock.ts'

/** The callers of one key in this process. */
export interface RateLane extends WaitingLane {
  readonly stock: RateStock
  /** Why there is no place, and until when, as far as that is known. */
  wait: { readonly reason: 'budget' | 'throttle'; readonly untilMs: number } | undefined
  pausedUntilMs: number
  /** Asks for what is missing, unless that has been done: `ahead` for nobody who waits. */
  refill(windows: readonly RateWindow[], ahead?: 'ahead'): void
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
/** Places to have in store, for whoever is alone. */
const leastAhead = 4
const mostAhead = 200

export function createRateLane(port: LimiterPort, process: string): RateLane {
  const stock = createRateStock()
  const closing = new AbortController()
  let isAsking = false
  /** The answer is held until somebody tells something: it may be this process. */
  let isWaiting = false
  let isShared = false
  let ahead = leastAhead
  let askAgainMs = 0
  let timer: { readonly atMs: number; readonly timeout: NodeJS.Timeout } | undefined

  const wake = (): void => lane.sleep?.wake()
  const ask = async (windows: readonly RateWindow[], want: number): Promise<void> => {
    isAsking = true
    isWaiting = want > 0
    const askedMs = steadyNow()
    const notes = stock.takeNotes()
    try {
      const order: RateAsk = { process, notes, windows, want, ahead: isShared ? 0 : ahead }
      hear(await port.ask<RateAnswer>(askUpdate, order, closing.signal), askedMs)
    } catch {
      stock.restore(notes, askedMs)
    } finally {
      isAsking = false
      isWaiting = false
      wake()
      schedule()
    }
  }
  const hear = (answer: RateAnswer, askedMs: number): void => {
    const heardMs = steadyNow()
    isShared = answer.isShared
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
      clearTimeout(timer?.timeout)
      for (let place = stock.take(); place; place = stock.take()) stock.note(place.slot, 'unused', 0)
      if (stock.hasNotes()) await tell({ notes: stock.takeNotes() })
    },
  }
  return lane
}
