import { createWaitingLane, steadyNow, type WaitingLane } from '../../../api/pacing/index.ts'
import type { RateWindow } from '../../../core/pacing/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { createLimiterClock } from './limiter-clock.ts'
import type { LimiterPort } from './limiter-port.ts'
import {
  askUpdate,
  type HandedPermits,
  noteSignal,
  type RateAnswer,
  type RateAsk,
  type RateNotes,
} from './messages.ts'
import { createPrefetchedPermits, type PrefetchedPermits } from './prefetched-permits.ts'

/** The calls of one key in this process that wait for permits. */
export interface LimiterClient extends WaitingLane {
  readonly prefetched: PrefetchedPermits
  /** Why there is no permit, and until when, as far as it is known. */
  wait: { readonly reason: 'budget' | 'throttle'; readonly untilMs: number } | undefined
  pausedUntilMs: number
  /** Why the last request for waiting calls was refused, for one second: calls of that time fail with it. */
  readonly refused: RunbookError | undefined
  /** Requests the missing permits, unless a request is under way. `ahead`: for calls that may come. */
  refill(windows: readonly RateWindow[], ahead?: 'ahead'): void
  /** Takes the permits that the limiter grants after a wait. */
  take(handed: Pick<HandedPermits, 'ask' | 'answer'>): void
  /** When the next request can help: never while an answer is awaited. */
  askAgainMs(): number
  wake(): void
  /** A permit was used: it is reported with the next request or signal. */
  noted(): void
  pause(untilMs: number): void
  close(): Promise<void>
}

/** The delay of a report while other processes may wait for it. */
const soonMs = 20
/** The delay of a report while no other process is known. */
const laterMs = 1000
const retryMs = 1000
/** A waiting process repeats its request: a limiter that was terminated, or has passed the process over, learns of it again. */
const repeatMs = 3000
/** Answers to older requests than this many are ignored. */
const keptQuestions = 4
/** The number of permits that a process prefetches. */
const leastAhead = 4
const mostAhead = 200

/** `key`: the name of the limiter in this process. `process`: the task queue of the process. */
export function createLimiterClient(port: LimiterPort, key: string, process: string): LimiterClient {
  const prefetched = createPrefetchedPermits()
  const clock = createLimiterClock()
  const closing = new AbortController()
  let isAsking = false
  /** The process is in line, and its own reports can free the permit that it waits for. */
  let isWaiting = false
  let asks = 0
  /** When the last requests were sent, by their numbers. */
  const askedAtMs = new Map<number, number>()
  let handed = 0
  let endWait = (): void => {}
  let isShared = false
  let ahead = leastAhead
  let wayMs = 0
  let askAgainMs = 0
  let refused: { readonly error: RunbookError; readonly untilMs: number } | undefined
  let timer: { readonly atMs: number; readonly timeout: NodeJS.Timeout } | undefined

  const wake = (): void => limiter.sleep?.wake()
  const ask = async (windows: readonly RateWindow[], want: number): Promise<void> => {
    isAsking = true
    isWaiting = want > 0
    try {
      let missing = want
      do {
        if (!(await askOnce(windows, missing)).isWaiting) break
        await waitForPermits()
        missing = limiter.waiting - prefetched.count()
      } while (handed < asks && missing > 0 && !closing.signal.aborted)
    } catch (thrown) {
      if (want > 0 && RunbookError.is(thrown)) refused = { error: thrown, untilMs: steadyNow() + retryMs }
    } finally {
      isAsking = false
      isWaiting = false
      wake()
      schedule()
    }
  }
  const askOnce = async (windows: readonly RateWindow[], want: number): Promise<RateAnswer> => {
    const askedMs = steadyNow()
    const notes = prefetched.takeNotes()
    // The request carries these reports; later ones have their own time.
    clearTimeout(timer?.timeout)
    timer = undefined
    schedule()
    askedAtMs.set(++asks, askedMs)
    askedAtMs.delete(asks - keptQuestions)
    const order: RateAsk = { process, key, ask: asks, notes, ...sentBy(askedMs), windows, want, ahead, wayMs }
    try {
      const answer = await port.ask<RateAnswer>(askUpdate, order, closing.signal)
      if (answer.isWaiting) clock.heard({ askedMs, heardMs: steadyNow(), atMs: answer.atMs })
      else hear(answer, askedMs)
      return answer
    } catch (thrown) {
      prefetched.restore(notes, askedMs)
      throw thrown
    }
  }
  /** Resolves when the limiter has granted permits, or when the request is due again. */
  const waitForPermits = (): Promise<void> =>
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
    // A fast answer does not mean that the next one is fast.
    wayMs = Math.max(Math.ceil(heardMs - askedMs - (answer.heldMs ?? 0)), Math.floor(wayMs / 2))
    clock.heard({ ...answer, askedMs, heardMs })
    prefetched.add(answer, clock.earliestMs(answer.atMs), clock.latestMs(answer.atMs))
    askAgainMs = heardMs + (answer.askAgainInMs ?? 0)
    const { reason, freeInMs } = answer
    limiter.wait = reason && freeInMs !== undefined ? { reason, untilMs: heardMs + freeInMs } : undefined
  }
  const sentBy = (sentMs: number): Pick<RateNotes, 'sentByMs'> => {
    const sentByMs = clock.latestInstantMs(sentMs)
    return sentByMs === undefined ? {} : { sentByMs }
  }
  const report = async (order: Omit<RateNotes, 'process'>): Promise<void> => {
    const takenMs = steadyNow()
    try {
      await port.report(noteSignal, { process, ...sentBy(takenMs), ...order } satisfies RateNotes)
    } catch {
      prefetched.restore(order.notes, takenMs)
      schedule(retryMs)
      if (order.pauseMs !== undefined) setTimeout(() => limiter.pause(limiter.pausedUntilMs), retryMs).unref()
    }
  }
  /** Reports in time, and returns permits that have expired. */
  const schedule = (leastMs = 0): void => {
    if (closing.signal.aborted) return
    const lastMs = prefetched.lastMs()
    const now = steadyNow()
    const notesMs = prefetched.hasNotes()
      ? now + Math.max(leastMs, isShared || isWaiting ? soonMs : laterMs)
      : undefined
    const atMs = Math.min(notesMs ?? Number.POSITIVE_INFINITY, lastMs ?? Number.POSITIVE_INFINITY)
    if (atMs === Number.POSITIVE_INFINITY || (timer && timer.atMs <= atMs)) return
    clearTimeout(timer?.timeout)
    const timeout = setTimeout(() => {
      timer = undefined
      if (prefetched.wasTooMuch()) ahead = Math.max(leastAhead, ahead / 2)
      if (prefetched.hasNotes()) void report({ notes: prefetched.takeNotes() }).finally(() => schedule())
      else schedule()
    }, atMs - now)
    timer = { atMs, timeout: timeout.unref() }
  }
  const limiter: LimiterClient = {
    ...createWaitingLane(),
    prefetched,
    wait: undefined,
    pausedUntilMs: 0,
    get refused() {
      return refused && refused.untilMs > steadyNow() ? refused.error : undefined
    },
    refill(windows, forLater) {
      if (isAsking || steadyNow() < askAgainMs) return
      const stored = prefetched.count()
      const want = forLater ? 0 : Math.max(0, limiter.waiting - stored)
      if (want > 0) ahead = Math.min(mostAhead, ahead * 2)
      if (want > 0 || (!isShared && stored < ahead / 2)) void ask(windows, want)
    },
    askAgainMs() {
      const hasAsked = isAsking || prefetched.count() >= limiter.waiting
      return hasAsked ? Number.POSITIVE_INFINITY : Math.max(askAgainMs, steadyNow() + 1)
    },
    take({ ask: number, answer }) {
      const askedMs = askedAtMs.get(number)
      // The expiry of the permits depends on when the request was sent, which is no longer known.
      if (askedMs === undefined)
        for (const { slot } of answer.permits) prefetched.note(slot, 'unused', steadyNow())
      else hear(answer, askedMs)
      handed = Math.max(handed, number)
      endWait()
      wake()
      schedule()
    },
    wake,
    noted: schedule,
    pause(untilMs) {
      limiter.pausedUntilMs = Math.max(limiter.pausedUntilMs, untilMs)
      wake()
      const pauseMs = Math.ceil(untilMs - steadyNow())
      if (pauseMs > 0) void report({ notes: prefetched.takeNotes(), pauseMs })
    },
    async close() {
      closing.abort()
      endWait()
      clearTimeout(timer?.timeout)
      for (let permit = prefetched.take(); permit; permit = prefetched.take())
        prefetched.note(permit.slot, 'unused', 0)
      if (prefetched.hasNotes()) await report({ notes: prefetched.takeNotes() })
    },
  }
  return limiter
}
