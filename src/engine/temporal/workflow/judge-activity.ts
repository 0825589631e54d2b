import { ActivityFailure, ApplicationFailure, CancelledFailure, TimeoutFailure } from '@temporalio/workflow'
import type { CallRequest } from '../../../core/host.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { type AttemptAnswer, type AttemptRefusal, givenUp, waitedTooLong } from '../messages.ts'

/** What came of one attempt. */
export type Made =
  | { readonly kind: 'answered'; readonly answer: AttemptAnswer }
  | { readonly kind: 'refused'; readonly refusal: AttemptRefusal }
  /** Its worker was lost, or stops (`isStopped`). `mayBeDone`: it can have sent something. */
  | { readonly kind: 'lost'; readonly why: string; readonly mayBeDone: boolean; readonly isStopped?: true }
  /** It has waited too long, and is scheduled anew; nothing was sent. */
  | { readonly kind: 'waited' }

/** What the failure of its activity says of an attempt. */
export function judgeActivity(thrown: unknown, { path, action }: CallRequest): Made {
  const cause = thrown instanceof ActivityFailure ? thrown.cause : thrown
  if (cause instanceof TimeoutFailure) {
    return { kind: 'lost', why: 'nothing was heard of its worker any more', mayBeDone: true }
  }
  if (cause instanceof CancelledFailure) {
    const error: ErrorData = {
      code: 'Cancelled',
      message: 'cancelled before a worker had taken it',
      path,
      notSent: true,
    }
    return { kind: 'refused', refusal: { error } }
  }
  if (cause instanceof ApplicationFailure) {
    const [details] = (cause.details ?? []) as unknown[]
    if (cause.type === waitedTooLong) return { kind: 'waited' }
    if (cause.type === givenUp) {
      return {
        kind: 'lost',
        why: 'its worker was stopped',
        mayBeDone: (details as { mayBeDone?: boolean })?.mayBeDone === true,
        isStopped: true,
      }
    }
    if (isRefusal(details)) return { kind: 'refused', refusal: details }
    if (cause.type === 'NotFoundError') {
      const message = `no worker has the action ${action}: its actions are others than those that the run was planned with`
      return { kind: 'refused', refusal: { error: { code: 'PlanDrift', message, path, notSent: true } } }
    }
  }
  // Such as an answer that the server did not take, being too large for it.
  const why = cause instanceof Error ? cause.message : String(cause)
  return { kind: 'lost', why, mayBeDone: true }
}

function isRefusal(details: unknown): details is AttemptRefusal {
  return typeof details === 'object' && details !== null && 'error' in details
}
