import { cancelled } from './cancelled.ts'

/** Why a call waits. */
export interface CallWait {
  /**
   * - `budget`: for a place in the windows of the rate limit.
   * - `throttle`: the service said `RequestTooFrequently`.
   * - `target`: another call to the same target is under way.
   * - `retry`: between two attempts.
   */
  readonly reason: 'budget' | 'throttle' | 'target' | 'retry'
  /** Unix time in milliseconds, where it is known. It can come earlier. */
  readonly untilMs?: number
}

const { timeOrigin } = performance

/** Unix time in milliseconds on a clock that nobody sets: differences are true. */
export function steadyNow(): number {
  return timeOrigin + performance.now()
}

/** A timer with a longer time fires at once. */
export const longestTimerMs: number = 2 ** 31 - 1

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
