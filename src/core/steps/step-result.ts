import type { FailedItems } from '../events.ts'
import type { RememberedResult } from '../host/host.ts'
import { isJsonObject, type JsonObject, type JsonValue, jsonSize, withoutUndefined } from '../json.ts'
import type { StepPlan } from '../plan/plan.ts'
import { stepIdOf } from '../plan/step-address.ts'
import { type ErrorData, endsRun, errorData } from '../run-error.ts'
import type { Frame } from './frame.ts'

/** What a step came to. */
export interface StepResult extends RememberedResult {
  /** What its own `outputs` and `catch` see as `steps`: the steps inside it. */
  readonly inner?: JsonObject
  /** Of a loop or batch; left out: none failed. */
  readonly failedItems?: FailedItems | undefined
}

/** Whether the step after it runs. */
export function continues({ status, isWarning }: StepResult): boolean {
  return status === 'succeeded' || status === 'skipped' || isWarning === true
}

/** The result for an error, by what the error means here. */
export function failedResult(error: ErrorData, frame: Frame, attempts = 0): StepResult {
  if (error.code === 'OutcomeUnknown') return { status: 'unknown', attempts, error }
  const { reason } = frame.cancellation
  // Clean-up is shielded: the cancellation of the run also cancels what it left with an unknown outcome.
  // What was not done is nothing to repair where the run is to end anyway.
  const isOver =
    error.code === 'Cancelled' ? reason || error.isSettled : reason && error.code === 'DecidedFailed'
  if (isOver) return { status: 'cancelled', attempts, error: { ...error, ...reason } }
  return { status: 'failed', attempts, error }
}

/** The result for something thrown, unless the run must end with it. */
export function caughtResult(thrown: unknown, frame: Frame, path: string): StepResult {
  if (endsRun(thrown)) throw thrown
  const error = errorData(thrown)
  return failedResult({ ...error, path: error.path ?? path }, frame)
}

/** The result of work that its cancellation stopped. */
export function cancelledResult(frame: Frame, path: string, attempts = 0): StepResult {
  const { reason } = frame.cancellation
  return {
    status: 'cancelled',
    attempts,
    error: { code: 'Cancelled', message: 'cancelled', ...reason, path },
  }
}

/** What of the outputs of a step something reads; undefined where nothing does. */
function readOutputs(outputs: JsonValue | undefined, { isRead, fieldsRead }: Reads): JsonValue | undefined {
  if (!isRead || !fieldsRead || !isJsonObject(outputs)) return isRead ? outputs : undefined
  return Object.fromEntries(Object.entries(outputs).filter(([field]) => fieldsRead.includes(field)))
}

/** What that takes in the state of the run. */
export function bytesRead(result: Pick<StepResult, 'outputs'>, reads: Reads): number {
  const outputs = readOutputs(result.outputs, reads)
  return outputs === undefined ? 0 : jsonSize(outputs)
}

type Reads = Pick<StepPlan, 'isRead' | 'fieldsRead'>

/** What of a result is worth remembering: nothing inside it is read any more, and of its outputs only some. */
export function withoutUnread(
  { inner: _, failedItems: __, outputs: all, ...rest }: StepResult,
  reads: Reads,
): RememberedResult {
  const outputs = readOutputs(all, reads)
  return outputs === undefined ? rest : { ...rest, outputs }
}

/** `steps.<id>` as expressions see it. */
export function visibleResult(result: StepResult, reads: Reads): JsonObject {
  const { status, branch, error } = result
  const outputs = readOutputs(result.outputs, reads)
  return {
    status,
    ...withoutUndefined({ branch, outputs }),
    ...(error === undefined ? {} : { error: visibleError(error) }),
  }
}

/** An error as expressions see it: in `catch` as `error`, and of a step as `steps.<id>.error`. */
export function visibleError({ code, message, path, requestId, details }: ErrorData): JsonObject {
  const status = isJsonObject(details) ? details['status'] : undefined
  return {
    code,
    message,
    step: stepIdOf(path ?? ''),
    // Always there, so that a comparison needs no guard.
    status: typeof status === 'number' ? status : 0,
    ...(requestId === undefined ? {} : { request_id: requestId }),
  }
}

/** The outputs as a map of names, for what takes only such. */
export function outputsOf({ outputs }: StepResult): JsonObject | undefined {
  return isJsonObject(outputs) ? outputs : undefined
}
