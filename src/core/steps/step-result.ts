import type { RememberedResult } from '../host/ports.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import { type ErrorData, endsRun, errorData } from '../run-error.ts'
import type { Frame } from './frame.ts'
import { stepIdOf } from './step-id.ts'

/** What a step came to. */
export interface StepResult extends RememberedResult {
  /** What its own `outputs` and `catch` see as `steps`: the steps inside it. */
  readonly inner?: JsonObject
}

/** Whether the step after it runs. */
export function goesOn({ status, isWarning }: StepResult): boolean {
  return status === 'succeeded' || status === 'skipped' || isWarning === true
}

/** The result for an error, by what the error means here. */
export function failedResult(error: ErrorData, frame: Frame, attempts = 0): StepResult {
  if (error.code === 'OutcomeUnknown') return { status: 'unknown', attempts, error }
  const { reason } = frame.cancellation
  // Clean-up is shielded: what was left in doubt by whoever cancelled the run is cancelled there, too.
  if (error.code === 'Cancelled' && (reason || error.isSettled))
    return { status: 'cancelled', attempts, error: { ...error, ...reason } }
  return { status: 'failed', attempts, error }
}

/** The result for something thrown, unless the run must end with it. */
export function caughtResult(thrown: unknown, frame: Frame, path: string): StepResult {
  if (endsRun(thrown)) throw thrown
  const error = errorData(thrown)
  return failedResult({ ...error, path: error.path ?? path }, frame)
}

/** The result of work that its cancellation kept from going on. */
export function cancelledResult(frame: Frame, path: string, attempts = 0): StepResult {
  const { reason } = frame.cancellation
  return {
    status: 'cancelled',
    attempts,
    error: { code: 'Cancelled', message: 'cancelled', ...reason, path },
  }
}

/** What of a result is worth remembering: nothing inside it is read any more, and its outputs only if something does. */
export function withoutUnread({ inner: _, outputs, ...rest }: StepResult, isRead: boolean): RememberedResult {
  return outputs === undefined || !isRead ? rest : { ...rest, outputs }
}

/** `steps.<id>` as expressions see it. */
export function visibleResult(result: StepResult, isRead: boolean): JsonObject {
  const { status, attempts, outputs, error } = result
  return {
    status,
    attempts,
    ...(outputs === undefined || !isRead ? {} : { outputs }),
    ...(error === undefined ? {} : { error: visibleError(error) }),
  }
}

/** An error as expressions see it: in `catch` as `error`, and of a step as `steps.<id>.error`. */
export function visibleError({ code, message, path, requestId }: ErrorData): JsonObject {
  return {
    code,
    message,
    step: stepIdOf(path ?? ''),
    ...(requestId === undefined ? {} : { request_id: requestId }),
  }
}

/** The outputs as a map of names, for what takes only such. */
export function outputsOf({ outputs }: StepResult): JsonObject | undefined {
  return isJsonObject(outputs) ? outputs : undefined
}
