import type { Action } from '../../actions/action.ts'
import { rootNames } from '../../core/expressions/names.ts'
import { render } from '../../core/expressions/render.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { Plan, UsesStepPlan } from '../../core/plan.ts'
import { errorData } from '../../core/run-error.ts'

/** Something wrong with the arguments of a step, found before the first call. */
export interface ArgumentProblem {
  readonly path: string
  readonly message: string
}

/**
 * Evaluates and checks all arguments that depend on inputs only, so that a bad one is found before anything has
 * been done. Steps under a condition or in a loop are left out: whether and with what they run is not known yet.
 */
export function checkArguments(
  plan: Plan,
  inputs: JsonObject,
  actions: readonly Action[],
): readonly ArgumentProblem[] {
  return plan.steps.flatMap((step) => {
    if (step.kind !== 'uses') return []
    const action = actions.find(({ name }) => name === step.uses.action.name)
    if (!action) return [{ path: step.id, message: `there is no action ${step.uses.action.name}` }]
    return isDecided(step) ? problemsOf(step, action, inputs) : []
  })
}

function isDecided(step: UsesStepPlan): boolean {
  const isUnconditional = step.if === undefined && step.forEach === undefined
  return isUnconditional && [...rootNames(step.uses.with)].every((name) => name === 'inputs')
}

function problemsOf(step: UsesStepPlan, action: Action, inputs: JsonObject): readonly ArgumentProblem[] {
  try {
    const input = render(step.uses.with, { inputs })
    if (!isJsonObject(input)) return [{ path: `${step.id}.with`, message: 'is not a map' }]
    return action.checkInput(input).map(({ path, message }) => ({
      path: path === '' ? `${step.id}.with` : `${step.id}.with.${path}`,
      message,
    }))
  } catch (error) {
    return [{ path: `${step.id}.with`, message: errorData(error).message }]
  }
}
