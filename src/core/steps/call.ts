import type { AttemptResult, CallPorts } from '../calls/attempts.ts'
import { type CallOutcome, callAction } from '../calls/call-action.ts'
import { shortError } from '../calls/short-error.ts'
import { render } from '../expressions/render.ts'
import { nameKind } from '../expressions/value-type.ts'
import type { Attempted, CallRequest } from '../host/host.ts'
import { type JsonObject, type JsonValue, withoutUndefined } from '../json.ts'
import type { UsesPlan } from '../plan/plan.ts'
import { type ErrorData, errorData, RunbookError } from '../run-error.ts'
import { holds } from './condition.ts'
import { type Frame, sleepAtWork, withNames } from './frame.ts'
import { cancelledResult, failedResult, type StepResult, visibleError } from './step-result.ts'

/** A result with the times of its calls. */
export interface CalledResult extends StepResult {
  /** Unix milliseconds by the record; left out where nothing was called. */
  readonly startedAtMs?: number | undefined
  readonly endedAtMs?: number | undefined
}

/** What of a request is the same for each of its attempts. */
type RequestParts = Omit<CallRequest, 'path' | 'attempt' | 'input'>

/** Makes one call of an action with all its repeating. `path` is that of the step, `callPath` that of the call. */
export async function callOnce(
  path: string,
  callPath: string,
  uses: UsesPlan,
  input: JsonObject,
  frame: Frame,
): Promise<CalledResult> {
  const { action, retry, throttle, tolerate } = uses
  const saveAs = readSaveAs(uses, frame)
  const times: Times = { startedAtMs: undefined, endedAtMs: undefined }
  // A batch is saved as a whole: no group of it alone is what was asked for.
  const parts = requestParts(uses, action.batch ? undefined : saveAs)
  const ports = callPorts(parts, frame, times)
  const condition = retryCondition(uses, path, frame)
  const call = { action, path: callPath, input, retry, retryWhen: condition?.holds, throttle, tolerate }
  const called = await callAction(call, ports)
  const outcome = condition ? condition.judge(called) : called
  const saved =
    action.batch && saveAs !== undefined && outcome.outputs !== undefined
      ? await saveOutputs(`${callPath}/save-as`, saveAs, outcome.outputs, outcome, frame)
      : outcome
  const { startedAtMs, endedAtMs } = times
  return { startedAtMs, endedAtMs, ...toResult(saved, frame, path) }
}

function requestParts(
  { action, attemptTimeoutMs, connection, secrets }: UsesPlan,
  saveAs: string | undefined,
): RequestParts {
  return {
    action: action.name,
    ...withoutUndefined({ saveAs, attemptTimeoutMs, connection, secrets }),
  }
}

/** The `when` of `retry`. Where it cannot be evaluated nothing is repeated, and that is the failure of the step. */
function retryCondition(
  { retryWhen }: UsesPlan,
  path: string,
  frame: Frame,
): { holds(error: ErrorData): boolean; judge(outcome: CallOutcome): CallOutcome } | undefined {
  if (retryWhen === undefined) return undefined
  let broken: ErrorData | undefined
  return {
    holds(error) {
      try {
        return holds(
          retryWhen,
          'retry.when',
          withNames(frame, { error: visibleError({ ...error, path }) }).scope,
        )
      } catch (thrown) {
        broken ??= errorData(thrown)
        return false
      }
    },
    // A person resolves an unknown outcome first, whatever else is wrong.
    judge: ({ error, ...outcome }) =>
      broken && error && error.code !== 'OutcomeUnknown'
        ? { ...outcome, error: { ...broken, cause: error } }
        : { ...outcome, ...(error ? { error } : {}) },
  }
}

function readSaveAs({ saveAs }: UsesPlan, { scope }: Frame): string | undefined {
  const name = saveAs && render(saveAs, scope)
  if (name === undefined || typeof name === 'string') return name
  throw new RunbookError('ExpressionFailed', `"save-as" is ${nameKind(name)}, not a text`)
}

/** When the first attempt began and the last one ended, by the record. */
interface Times {
  startedAtMs: number | undefined
  endedAtMs: number | undefined
}

/** `callAction` decides when to try; what it asks for comes back here, as one attempt. */
function callPorts(parts: RequestParts, frame: Frame, times: Times): CallPorts {
  const { host } = frame
  return {
    attempt: ({ path, attempt, input }) => attemptOnce({ path, attempt, input, ...parts }, frame, times),
    async sleepUntil(timeMs, pause) {
      if (frame.cancellation.reason) return
      host.report({ type: 'waiting', ...pause, until: timeMs })
      const isWork = pause.reason === 'retry'
      if (isWork) await sleepAtWork(timeMs, pause, frame, times.endedAtMs)
      else await host.sleepUntil(timeMs, pause, frame.cancellation)
    },
    // A pause counts from the end of the attempt by the record: a run that is resumed does not wait anew.
    now: () => Math.min(times.endedAtMs ?? Number.POSITIVE_INFINITY, host.now()),
    onGroups: (split) => host.report({ type: 'groups_counted', ...split }),
    onAttemptFailed: ({ path, attempt, error, isRepeated }) =>
      host.report({ type: 'attempt_failed', path, attempt, error, is_repeated: isRepeated }),
  }
}

/** One attempt, unless the work is not wanted any more. Time in which it waits to be sent is not working time. */
async function attemptOnce(
  request: CallRequest,
  frame: Frame,
  times?: Times,
): Promise<Attempted | AttemptResult> {
  const { host, clock, cancellation } = frame
  if (cancellation.reason) {
    const error = { ...cancellation.reason, code: 'Cancelled', path: request.path, notSent: true } as const
    return { status: 'failed', error, isNotMade: true }
  }
  let isWaiting = false
  clock.begin()
  let attempted: Attempted
  try {
    attempted = await host.call(request, {
      cancellation,
      past: (fromMs, toMs) => clock.past(fromMs, toMs),
      onWaiting(waits) {
        if (waits === isWaiting) return
        isWaiting = waits
        if (waits) clock.end()
        else clock.begin()
      },
    })
  } finally {
    if (!isWaiting) clock.end()
  }
  if (times) {
    times.startedAtMs ??= attempted.startedAtMs
    times.endedAtMs = attempted.endedAtMs
  }
  clock.past(attempted.startedAtMs, attempted.endedAtMs - (attempted.waitedMs ?? 0))
  return attempted
}

/** Writes the outputs of a whole batch to a file. */
async function saveOutputs(
  path: string,
  saveAs: string,
  outputs: JsonValue,
  outcome: CallOutcome,
  frame: Frame,
): Promise<CallOutcome> {
  const request = { path, attempt: 1, action: 'core/write', input: { content: outputs }, saveAs }
  const saved = await attemptOnce(request, frame)
  if (saved.status === 'failed') return { attempts: outcome.attempts, error: outcome.error ?? saved.error }
  return { ...outcome, outputs: saved.output }
}

function toResult(
  { outputs, error, attempts, failedItems }: CallOutcome,
  frame: Frame,
  path: string,
): StepResult {
  const result = error
    ? failedResult({ ...shortError(error), path }, frame, attempts)
    : ({ status: 'succeeded', attempts } as const)
  const isStopped = result.status === 'cancelled' && frame.cancellation.reason !== undefined
  const ended = isStopped ? cancelledResult(frame, path, attempts) : result
  const whole = failedItems ? { ...ended, failedItems } : ended
  return outputs === undefined ? whole : { outputs, ...whole }
}
