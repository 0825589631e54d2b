import { checkBuiltinInput } from '../builtins/check-builtin-input.ts'
import { valuesRead } from '../expressions/references.ts'
import { render } from '../expressions/render.ts'
import { nameKind } from '../expressions/value-type.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { ExpectationPlan, RepeatPlan, UsesPlan } from '../plan/plan.ts'
import { sensitiveFacts } from '../record/sensitive-values.ts'
import { RunbookError } from '../run-error.ts'
import { formatDuration } from '../times/duration.ts'
import { type CalledResult, callOnce } from './call.ts'
import { holds, unmetConditionText } from './condition.ts'
import { type Frame, sleepAtWork, withNames } from './frame.ts'
import { permitWrite } from './permit.ts'
import { builtinSteps } from './run-builtin.ts'
import { cancelledResult, type StepResult } from './step-result.ts'

/** Calls the action of a step under its policies. `path` is that of the step or of its item. */
export function runUses(path: string, uses: UsesPlan, frame: Frame): Promise<StepResult> {
  const result = carryOut(path, uses, readInput(uses, frame), frame)
  const { expect } = uses
  return expect ? result.then((ended) => checkExpectations(expect, ended, frame, path)) : result
}

function carryOut(path: string, uses: UsesPlan, input: JsonObject, frame: Frame): Promise<StepResult> {
  const own = builtinSteps[uses.action.name]
  if (own) {
    checkBuiltinInput(uses.action.name, input)
    const ended = own({ path, uses, input, frame })
    return uses.action.sensitiveOutput === undefined
      ? ended
      : ended.then((result) => hideOutputs(result, uses, path, frame))
  }
  if (!frame.approvals) return makeCalls(path, uses, input, frame)
  return permitWrite(path, uses, input, frame).then(
    (refused) => refused ?? makeCalls(path, uses, input, frame),
  )
}

function makeCalls(path: string, uses: UsesPlan, input: JsonObject, frame: Frame): Promise<StepResult> {
  const call = (callPath: string): ReturnType<typeof callOnce> => callOnce(path, callPath, uses, input, frame)
  return uses.repeat ? callUntil(path, uses.repeat, call, frame) : call(path)
}

function readInput(uses: UsesPlan, { scope }: Frame): JsonObject {
  const input = render(uses.with, scope)
  if (isJsonObject(input)) return input
  throw new RunbookError('ExpressionFailed', `"with" is ${nameKind(input)}, not a map`)
}

/** Reports what a step without attempts has computed and its runbook marks as sensitive: an attempt does so itself. */
function hideOutputs(result: StepResult, { action }: UsesPlan, path: string, { host }: Frame): StepResult {
  const { sensitive } = sensitiveFacts(result.outputs ?? null, action)
  if (sensitive !== undefined) host.report({ type: 'outputs_hidden', path, sensitive })
  return result
}

/** Makes a success of which something does not hold that was expected of it a failure; its outputs stay. */
function checkExpectations(
  expectations: readonly ExpectationPlan[],
  result: StepResult,
  frame: Frame,
  path: string,
): StepResult {
  if (result.status !== 'succeeded') return result
  const { scope } = withNames(frame, { outputs: result.outputs ?? {} })
  const broken = expectations.find(({ that }) => !holds(that, 'expect', scope))
  if (!broken) return result
  const said = broken.message && render(broken.message, scope)
  const message = said === undefined ? `does not hold: ${broken.that.source}` : String(said)
  return { ...result, status: 'failed', error: { code: 'ExpectationFailed', message, path } }
}

/**
 * Calls again until something holds of the outputs. The first call has the path of the step, the others `/poll-2` and
 * so on. Times are those of the record, so that a run that is resumed waits no longer than it would have.
 */
async function callUntil(
  path: string,
  repeat: RepeatPlan,
  call: (callPath: string) => Promise<CalledResult>,
  frame: Frame,
): Promise<StepResult> {
  const { host, cancellation } = frame
  let attempts = 0
  let firstMs: number | undefined
  for (let round = 1; ; round++) {
    const called = await call(round === 1 ? path : `${path}/poll-${round}`)
    const { startedAtMs, endedAtMs: recordedMs, ...result } = called
    // Never later than now, also where the clock has been set back since it was recorded.
    const endedAtMs = Math.min(recordedMs ?? Number.POSITIVE_INFINITY, host.now())
    attempts += result.attempts
    firstMs ??= Math.min(startedAtMs ?? endedAtMs, endedAtMs)
    if (result.status !== 'succeeded' || isMet(repeat, result.outputs ?? null, frame))
      return { ...result, attempts }
    const nextMs = endedAtMs + repeat.intervalMs
    if (nextMs > firstMs + repeat.maxWaitMs) {
      const answered = withNames(frame, { outputs: result.outputs ?? null })
      return { ...result, ...timedOut(repeat, answered, path), attempts }
    }
    host.report({ type: 'waiting', path, reason: 'poll', until: nextMs })
    await sleepAtWork(nextMs, { path, reason: 'poll' }, frame, endedAtMs)
    if (cancellation.reason) return cancelledResult(frame, path, attempts)
  }
}

function isMet({ until }: RepeatPlan, outputs: JsonValue, frame: Frame): boolean {
  return holds(until, 'until', withNames(frame, { outputs }).scope)
}

function timedOut(
  { until, maxWaitMs }: RepeatPlan,
  { scope }: Frame,
  path: string,
): Pick<StepResult, 'status' | 'error'> {
  const message = unmetConditionText(until, valuesRead(until, scope), `within ${formatDuration(maxWaitMs)}`)
  return { status: 'failed', error: { code: 'RepeatTimeout', message, path } }
}
