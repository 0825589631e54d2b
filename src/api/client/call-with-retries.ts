import { type Call, callAction } from '../../core/calls/index.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { type ErrorData, errorData, RunbookError } from '../../core/run-error.ts'
import type { OperationMethod } from '../operations/index.ts'
import { joinSignals, sleepUntil, steadyNow } from '../pacing/waits.ts'
import type { AttemptOptions, ServiceAnswer } from './answer.ts'
import { attemptOperation } from './attempt.ts'
import type { Connection } from './client-context.ts'

/** Calls an operation with its groups, retries and pauses. The input has been checked. */
export async function performCall(
  connection: Connection,
  method: OperationMethod,
  input: JsonObject,
  options: AttemptOptions,
): Promise<ServiceAnswer<JsonValue>> {
  const answers: ServiceAnswer<JsonValue>[] = []
  const thrown = new Map<ErrorData, RunbookError>()
  let isSent = false
  /** After the first request, the signal that counts before sending has no effect. */
  const optionsNow = (): AttemptOptions => (isSent ? { ...options, signalBeforeSending: undefined } : options)
  const outcome = await callAction(callOf(connection, method, input), {
    now: steadyNow,
    async attempt({ attempt, input: part }) {
      try {
        const answer = await attemptOperation(connection, method, part, { ...optionsNow(), attempt })
        isSent = true
        answers.push(answer)
        return { status: 'succeeded', output: answer.data }
      } catch (error) {
        const data = errorData(error)
        isSent ||= data.notSent !== true
        if (RunbookError.is(error)) thrown.set(data, error)
        return { status: 'failed', error: data }
      }
    },
    sleepUntil(timeMs, { reason }) {
      options.onWait?.({ reason, untilMs: timeMs })
      const { signal, release } = joinSignals(options.signal, optionsNow().signalBeforeSending)
      return sleepUntil(timeMs, signal).isOver.finally(release)
    },
  })
  const failure = outcome.error ?? outcome.everyGroupFailed
  if (failure) throw asRunbookError(failure, thrown)
  return mergeAnswers(answers, outcome.outputs ?? null)
}

function callOf({ settings, routes }: Connection, method: OperationMethod, input: JsonObject): Call {
  const { operation } = routes[method]
  return {
    action: operation,
    path: method,
    // All calls of an operation have one path: jitter must separate the retries of calls that failed
    // together.
    seed: String(Math.random()),
    input,
    retry: settings.retry,
    throttle: { maxWaitMs: settings.maxWaitMs },
    // Items that report their own errors are data for the caller; a group without an answer is a failed call.
    tolerate: operation.batch?.itemError === undefined ? 0 : 'all',
  }
}

/** The error of the last attempt, or a new one where several attempts leave the outcome unknown. */
function asRunbookError(failure: ErrorData, thrown: ReadonlyMap<ErrorData, RunbookError>): RunbookError {
  const original = thrown.get(failure)
  if (original) return original
  const { code, message, ...more } = failure
  return new RunbookError(code, message, { ...more, cause: [...thrown.values()].at(-1) })
}

function mergeAnswers(
  answers: readonly ServiceAnswer<JsonValue>[],
  data: JsonValue,
): ServiceAnswer<JsonValue> {
  if (answers.length === 1 && answers[0]) return { ...answers[0], data }
  return {
    data,
    requestId: answers.at(-1)?.requestId,
    requestIds: answers.flatMap(({ requestIds }) => requestIds),
    warnings: [...new Set(answers.flatMap(({ warnings }) => warnings))],
  }
}
