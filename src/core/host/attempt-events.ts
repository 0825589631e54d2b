import type { RunEvent } from '../events.ts'
import type { CallRequest } from '../host.ts'
import type { JsonValue } from '../json.ts'
import { type SensitiveFields, sensitiveFacts } from '../record/sensitive-values.ts'

/** An attempt that succeeded, as far as its event says. */
export interface AttemptFacts {
  readonly output: JsonValue
  readonly requestId?: string | undefined
  readonly warnings?: readonly string[] | undefined
}

type Attempt = Pick<CallRequest, 'path' | 'attempt'>

/** Reports that an attempt begins. */
export function attemptStarted({ path, attempt, action }: Attempt & Pick<CallRequest, 'action'>): RunEvent {
  return { type: 'attempt_started', path, attempt, action }
}

/** Reports that an attempt succeeded. The event names the sensitive values of the output, so that views mask them. */
export function attemptSucceeded(
  { path, attempt }: Attempt,
  { output, requestId, warnings = [] }: AttemptFacts,
  action: SensitiveFields | undefined,
): RunEvent {
  return {
    type: 'attempt_succeeded',
    path,
    attempt,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...sensitiveFacts(output, action),
  }
}

/** Reports that the record of the run answered an attempt. Nothing was sent. */
export function attemptReplayed(
  { path, attempt }: Attempt,
  { output, requestId }: AttemptFacts,
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
