import type { ActionDescription } from '../../core/action.ts'
import { argumentProblems } from '../../core/forecast/forecast-plan.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan.ts'
import { RunbookError } from '../../core/run-error.ts'
import { unsupportedFeatures } from '../../core/unsupported.ts'

/** Everything that can be known before the first call; nothing has been made when it throws. */
export function refuseWhatCannotWork({
  plan,
  inputs,
  actions,
}: {
  readonly plan: Plan
  readonly inputs: JsonObject
  readonly actions: readonly ActionDescription[]
}): void {
  const unsupported = unsupportedFeatures(plan)
  if (unsupported.length > 0) {
    const message = `this version does not carry out yet: ${unsupported.join(', ')}; nothing was sent`
    throw new RunbookError('InvalidInput', message, {
      notSent: true,
      next: 'Leave them out of the runbook.',
    })
  }
  const problems = argumentProblems({ plan, inputs, actions })
  if (problems.length === 0) return
  const list = problems.map(({ path, message }) => `${path} ${message}`).join('; ')
  const details = { problems: problems.map(({ path, message }) => ({ path, message })) }
  throw new RunbookError('InvalidInput', `${list}; nothing was sent`, { notSent: true, details })
}
