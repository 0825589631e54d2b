import type { RunEvent } from '../events.ts'
import type { JsonValue } from '../json.ts'
import { shortItem } from '../record/item-name.ts'
import { sensitiveFacts } from '../record/sensitive-values.ts'
import type { PreparedCall } from './engine-ports.ts'
import type { CallRequest } from './host.ts'

/** An attempt that succeeded, as far as its event says. */
export interface AttemptFacts {
  readonly output: JsonValue
  readonly requestId?: string | undefined
  readonly warnings?: readonly string[] | undefined
  /** The record of the run answered it. Nothing was sent. */
  readonly isReplayed?: boolean
}

type Attempt = Pick<CallRequest, 'path' | 'attempt'>
type Succeeded = Extract<RunEvent, { readonly type: 'attempt_succeeded' }>

/** Reports that an attempt begins. */
export function attemptStarted({ path, attempt, action }: Attempt & Pick<CallRequest, 'action'>): RunEvent {
  return { type: 'attempt_started', path, attempt, action }
}

/** Reports that an attempt succeeded. The event names the sensitive values of the output, so that views mask them. */
export function attemptSucceeded(
  { path, attempt }: Attempt,
  { output, requestId, warnings, isReplayed }: AttemptFacts,
  { action, safety }: Pick<PreparedCall, 'action' | 'safety'>,
): RunEvent {
  const event: { -readonly [field in keyof Succeeded]: Succeeded[field] } = {
    type: 'attempt_succeeded',
    path,
    attempt,
  }
  if (requestId !== undefined) event.request_id = requestId
  if (warnings !== undefined && warnings.length > 0) event.warnings = warnings
  if (isReplayed) event.from_journal = true
  // The outputs of other steps are in the event of their end.
  if (safety === 'create' && path.includes('[')) event.made = shortItem(output)
  const { sensitive } = sensitiveFacts(output, action)
  if (sensitive !== undefined) event.sensitive = sensitive
  return event
}
