import type { RunEvent } from '../events.ts'
import type { CallRequest } from '../host.ts'

/** Tells that an attempt was answered by the record of the run, and not made. */
export function fromJournal(
  { path, attempt }: Pick<CallRequest, 'path' | 'attempt'>,
  requestId: string | undefined,
): RunEvent {
  return {
    type: 'attempt_succeeded',
    path,
    attempt,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    from_journal: true,
  }
}
