import type { Action } from '../../actions/index.ts'
import { outsideSteps } from '../../core/forecast/forecast-plan.ts'
import type { Plan } from '../../core/plan.ts'

/** What to say at the start of steps that would leave the sandbox: runs that can reach one are refused. */
export function refusedSteps(
  runbooks: readonly { readonly plan: Plan }[],
  actions: readonly Action[],
): readonly string[] {
  const refused = actions.filter(({ isRefused }) => isRefused)
  return runbooks.flatMap(({ plan }) => {
    const missingInputs = Object.keys(plan.inputs?.properties ?? {})
    const steps = outsideSteps({ plan, inputs: {}, missingInputs, actions: refused })
    if (steps.length === 0) return []
    const list = steps.map(({ path, action }) => `${path} (${action})`).join(', ')
    return [
      `${plan.name} can leave the sandbox: ${list}; runs that can reach it are refused without --allow-outside`,
    ]
  })
}
