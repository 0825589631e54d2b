import { ApplicationFailure } from '@temporalio/workflow'
import { whyUnreadable } from '../codec/unreadable.ts'

/** Ends a workflow that has been given what its worker has no key for. */
export function refuseUnreadable(value: object): void {
  const message = whyUnreadable(value)
  if (message !== undefined) throw ApplicationFailure.nonRetryable(message, 'PayloadUnreadable')
}
