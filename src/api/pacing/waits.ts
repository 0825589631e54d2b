import { setMaxListeners } from 'node:events'
import { RunbookError } from '../../core/run-error.ts'

/** Why a call waits. */
export interface CallWait {
  /**
   * Why a call waits:
   * - `budget`: for a permit of the rate limit.
   * - `throttle`: the service said `RequestTooFrequently`.
   * - `target`: another call to the same target is in flight.
   * - `retry`: between two attempts.
   */
  readonly reason: 'budget' | 'throttle' | 'target' | 'retry'
  /** Expected end as Unix time in milliseconds, where known. The wait can end earlier. */
  readonly untilMs?: number
}

const { timeOrigin } = performance

/** Unix time in milliseconds on a monotonic clock: differences are exact. */
export function steadyNow(): number {
  return timeOrigin + performance.now()
}

/** The longest timer of Node: a longer one fires immediately. */
export const longestTimerMs: number = 2 ** 31 - 1

/** A time that a timer of Node can take: of a longer one, the longest that it can. */
export function timerMs(timeMs: number): number {
  return Math.min(timeMs, longestTimerMs)
}

/** A wait that can be ended early. */
export interface Sleep {
  readonly isOver: Promise<void>
  wake(): void
}

/** Sleeps until that time of {@link steadyNow}. Rejects with `Cancelled` when the signal is aborted. */
export function sleepUntil(timeMs: number, signal: AbortSignal | undefined): Sleep {
  let wake = (): void => {}
  const isOver = new Promise<void>((resolve, reject) => {
    const cancel = (): void => {
      clearTimeout(timer)
      reject(cancelled(signal, false))
    }
    wake = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
      resolve()
    }
    const sleepOn = (): void => {
      const restMs = Math.max(0, Math.ceil(timeMs - steadyNow()))
      timer = restMs > longestTimerMs ? setTimeout(sleepOn, longestTimerMs) : setTimeout(wake, restMs)
    }
    let timer: NodeJS.Timeout
    sleepOn()
    if (signal?.aborted) cancel()
    signal?.addEventListener('abort', cancel, { once: true })
  })
  return { isOver, wake: () => wake() }
}

/** Several signals as one. */
export interface JoinedSignal {
  readonly signal: AbortSignal | undefined
  /** Removes the listeners; the caller calls it after the last use. */
  release(): void
}

/**
 * One signal that is aborted with the first of these. `AbortSignal.any` leaks with a signal that lives as long as the
 * process.
 */
export function joinSignals(...signals: readonly (AbortSignal | undefined)[]): JoinedSignal {
  const given = signals.filter((signal) => signal !== undefined)
  // Hundreds of calls share one signal, of which Node would warn from the eleventh listener on.
  for (const signal of given) setMaxListeners(0, signal)
  const [first] = given
  if (given.length < 2) return { signal: first, release() {} }
  const joined = new AbortController()
  const listeners = given.map((signal) => {
    const pass = (): void => joined.abort(signal.reason)
    if (signal.aborted) pass()
    signal.addEventListener('abort', pass, { once: true })
    return () => signal.removeEventListener('abort', pass)
  })
  return {
    signal: joined.signal,
    release() {
      for (const remove of listeners) remove()
    },
  }
}

/** The caller's signal was aborted. */
export function cancelled(signal: AbortSignal | undefined, isSent: boolean): RunbookError {
  const message = isSent ? 'cancelled after the request was sent' : 'cancelled before the request was sent'
  return new RunbookError('Cancelled', message, { notSent: !isSent, cause: signal?.reason })
}
