import { callAction } from '../call-action.ts'
import { kindOf, type Scope } from '../expressions/evaluate.ts'
import { render } from '../expressions/render.ts'
import type { Host } from '../host.ts'
import { isJsonObject } from '../json.ts'
import type { UsesPlan } from '../plan.ts'
import { RunbookError } from '../run-error.ts'
import type { StepResult } from './step.ts'

/** Calls the action of a step, as often as its policies say. `path` is that of the step or of its item. */
export async function runUses(path: string, uses: UsesPlan, scope: Scope, host: Host): Promise<StepResult> {
  const input = render(uses.with, scope)
  if (!isJsonObject(input))
    throw new RunbookError('ExpressionFailed', `"with" is ${kindOf(input)}, not a map`)
  const saveAs = uses.saveAs && render(uses.saveAs, scope)
  if (saveAs !== undefined && typeof saveAs !== 'string') {
    throw new RunbookError('ExpressionFailed', `"save-as" is ${kindOf(saveAs)}, not a text`)
  }
  const { action, retry, throttle, tolerate, attemptTimeoutMs } = uses
  const outcome = await callAction(
    { action, path, input, retry, throttle, tolerate },
    {
      attempt: (call) =>
        host.call({
          ...call,
          action: action.name,
          ...(saveAs === undefined ? {} : { saveAs }),
          ...(attemptTimeoutMs === undefined ? {} : { attemptTimeoutMs }),
        }),
      sleepUntil: (timeMs, pause) => {
        host.report({ type: 'waiting', path: pause.path, reason: pause.reason, until: timeMs })
        return host.sleepUntil(timeMs, pause)
      },
      now: () => host.now(),
      onGroups: (split) => host.report({ type: 'groups_counted', ...split }),
      onAttemptFailed: (failure) =>
        host.report({
          type: 'attempt_failed',
          path: failure.path,
          attempt: failure.attempt,
          error: failure.error,
          is_repeated: failure.isRepeated,
        }),
    },
  )
  const { outputs, error, attempts } = outcome
  return {
    status: error === undefined ? 'succeeded' : error.code === 'OutcomeUnknown' ? 'unknown' : 'failed',
    attempts,
    ...(outputs === undefined ? {} : { outputs }),
    ...(error === undefined ? {} : { error: { ...error, path } }),
  }
}
