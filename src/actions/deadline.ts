import { joinSignals, timerMs } from '../api/pacing/index.ts'

/** The end that a command or a custom action is given: a time limit, or a cancellation. */
export interface Deadline {
  readonly signal: AbortSignal
  readonly allowedMs: number
  /** Undefined as long as it may run. */
  readonly reason: 'timeout' | 'cancelled' | undefined
  release(): void
}

export function createDeadline(allowedMs: number, cancelled: AbortSignal): Deadline {
  const late = new AbortController()
  // Not AbortSignal.timeout: its timer would let the process end while nothing but the call is waited for.
  const timer = cancelled.aborted ? undefined : setTimeout(() => late.abort(), timerMs(allowedMs))
  const { signal = late.signal, release } = joinSignals(cancelled, late.signal)
  // What comes first counts.
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  return {
    signal,
    allowedMs,
    get reason() {
      if (late.signal.aborted) return 'timeout'
      return signal.aborted ? 'cancelled' : undefined
    },
    release() {
      clearTimeout(timer)
      release()
    },
  }
}
