import type { RunEvent } from '../events.ts'
import type { CallRequest } from '../host.ts'
import type { JsonValue } from '../json.ts'
import { type SensitiveFields, sensitiveFacts } from './sensitive-values.ts'

/** Tells that an attempt was answered by the record of the run, and not made. */
export function fromJournal(
  { path, attempt }: Pick<CallRequest, 'path' | 'attempt'>,
  requestId: string | undefined,
  output: JsonValue,
  action: SensitiveFields | undefined,
): RunEvent {
  return {
    type: 'attempt_succeeded',
    path,
    attempt,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    from_journal: true,
    ...sensitiveFacts(output, action),
  }
}
