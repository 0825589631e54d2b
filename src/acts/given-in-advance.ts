import { evaluateCondition, known, type Template } from '../core/expressions/index.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { Plan, StepPlan } from '../core/plan/index.ts'
import { placedSteps } from '../core/resume/index.ts'
import { CommandError } from '../project/index.ts'

/**
 * Refuses `--yes` for a run that asks for values without a default: they cannot be given in advance. Steps that these
 * inputs skip ask for nothing.
 */
export function requireDefaults(plan: Plan, inputs: JsonObject, { yes }: { readonly yes?: boolean }): void {
  if (yes !== true) return
  const isReached = ({ if: condition }: StepPlan): boolean => {
    const met = condition && evaluateCondition(condition, { inputs: known(inputs) })
    return met?.state !== 'known' || met.value
  }
  const { values } = notGivenIn({
    ...plan,
    steps: plan.steps.filter(isReached),
    finally: plan.finally?.filter(isReached) ?? [],
  })
  if (values.length === 0) return
  throw new CommandError(
    'usage',
    `--yes gives approvals and defaults, and these steps ask for values without a default: ${values.join(', ')}`,
    { hints: ['write a "default" there, or leave --yes out and answer with "opsbook answer"'] },
  )
}

/**
 * What `--yes` gives in advance, and the paths of the steps that wait for a person all the same. `steps` are those of a
 * resumed run: what has succeeded is not asked again.
 */
export function advanceText(
  plan: Plan,
  steps: readonly { readonly path: string; readonly status: string }[] = [],
): string {
  const answered = new Set(steps.flatMap(({ path, status }) => (status === 'succeeded' ? [path] : [])))
  const isOpen = (path: string): boolean => !answered.has(path)
  const notGiven = notGivenIn(plan)
  const policies = notGiven.policies.filter(isOpen)
  const values = notGiven.values.filter(isOpen)
  const left = [
    ...(policies.length === 0 ? [] : [`${policies.join(', ')} (says who may answer)`]),
    ...(values.length === 0 ? [] : [`${values.join(', ')} (asks for values without a default)`]),
  ]
  if (left.length === 0) return '--yes: everything is approved in advance'
  return `--yes: approved in advance, except ${left.join(' and ')}`
}

/** The paths of steps that `--yes` does not answer; of a loop without positions. */
interface NotGiven {
  /** Steps with `from`. */
  readonly policies: readonly string[]
  /** Steps that ask for values without a default. */
  readonly values: readonly string[]
}

function notGivenIn(plan: Plan): NotGiven {
  const asking = placedSteps(plan).flatMap(({ path, step }) => {
    if (step.kind !== 'uses') return []
    const { action, with: given } = step.uses
    return [{ path, action: action.name, has: (key: string) => gives(given, key) }]
  })
  return {
    policies: asking.flatMap(({ path, action, has }) =>
      (action === 'core/ask' || action === 'core/approve') && has('from') ? [path] : [],
    ),
    values: asking.flatMap(({ path, action, has }) =>
      action === 'core/ask' && !has('default') && !has('from') ? [path] : [],
    ),
  }
}

function gives(given: Template, key: string): boolean {
  if (given.kind === 'literal') return isJsonObject(given.value) && given.value[key] !== undefined
  return given.kind === 'object' && given.entries.some(([name]) => name === key)
}
