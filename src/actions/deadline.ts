import { timerMs } from '../api/pacing/index.ts'

/** The end that a command or a custom action is given: a time limit, or a cancellation. */
export interface Deadline {
  readonly signal: AbortSignal
  readonly allowedMs: number
  /** Undefined as long as it may run. */
  readonly reason: 'timeout' | 'cancelled' | undefined
  release(): void
}

export function createDeadline(allowedMs: number, cancelled: AbortSignal): Deadline {
  const controller = new AbortController()
  let reason: Deadline['reason']
  const end = (why: 'timeout' | 'cancelled'): void => {
    reason ??= why
    controller.abort()
  }
  const onCancel = (): void => end('cancelled')
  // Not AbortSignal.timeout: its timer would let the process end while nothing but the call is waited for.
  const timer = setTimeout(() => end('timeout'), timerMs(allowedMs))
  if (cancelled.aborted) onCancel()
  cancelled.addEventListener('abort', onCancel, { once: true })
  return {
    signal: controller.signal,
    allowedMs,
    get reason() {
      return reason
    },
    release() {
      clearTimeout(timer)
      cancelled.removeEventListener('abort', onCancel)
    },
  }
}
