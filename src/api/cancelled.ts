import { RunbookError } from '../core/run-error.ts'

/** The caller's signal was aborted. */
export function cancelled(signal: AbortSignal | undefined, isSent: boolean): RunbookError {
  const message = isSent ? 'cancelled after the request was sent' : 'cancelled before the request was sent'
  return new RunbookError('Cancelled', message, { notSent: !isSent, cause: signal?.reason })
}
