import { evaluate, kindOf } from '../expressions/evaluate.ts'
import { render } from '../expressions/render.ts'
import type { ExpectationPlan } from '../plan.ts'
import { RunbookError } from '../run-error.ts'
import { type Frame, withNames } from './frame.ts'
import type { StepResult } from './step-result.ts'

/** Makes a success of which something does not hold that was expected of it a failure; its outputs stay. */
export function checkExpectations(
  expectations: readonly ExpectationPlan[] | undefined,
  result: StepResult,
  frame: Frame,
  path: string,
): StepResult {
  if (!expectations || result.status !== 'succeeded') return result
  const { scope } = withNames(frame, { outputs: result.outputs ?? {} })
  const broken = expectations.find(({ that }) => {
    const value = evaluate(that, scope)
    if (typeof value === 'boolean') return !value
    throw new RunbookError(
      'ExpressionFailed',
      `"expect" is ${kindOf(value)}, not true or false: "${that.source}"`,
    )
  })
  if (!broken) return result
  const said = broken.message && render(broken.message, scope)
  const message = said === undefined ? `does not hold: ${broken.that.source}` : String(said)
  return { ...result, status: 'failed', error: { code: 'ExpectationFailed', message, path } }
}
