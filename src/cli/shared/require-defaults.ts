import type { Template } from '../../core/expressions/index.ts'
import { isJsonObject } from '../../core/json.ts'
import type { Plan, StepPlan } from '../../core/plan.ts'
import { caughtSteps, childOf, innerSteps, stepsOf } from '../../core/plan-walk.ts'
import { CommandError } from './command-error.ts'
import { exitCodes } from './exit-codes.ts'

/** Refuses `--yes` for a plan that asks for values without a default: nobody could give them in advance. */
export function requireDefaults(plan: Plan, { yes }: { readonly yes?: boolean }): void {
  if (yes !== true) return
  const open = stepsOf(plan).flatMap((step) => asking(step, plan, ''))
  if (open.length === 0) return
  const paths = open.join(', ')
  throw new CommandError(
    exitCodes.usage,
    `--yes gives approvals and defaults, and these steps ask for values without a default: ${paths}`,
    { hints: ['write a "default" there, or leave --yes out and answer with "opsbook answer"'] },
  )
}

/** The paths of the steps that ask for values without a default; of a loop without positions. */
function asking(step: StepPlan, plan: Plan, inside: string): readonly string[] {
  const path = `${inside}${step.id}`
  const child = childOf(step, plan)
  const inner = [...innerSteps(step), ...caughtSteps(step), ...(child ? stepsOf(child) : [])]
  const isOpen = step.kind === 'uses' && step.uses.action.name === 'core/ask' && !hasDefault(step.uses.with)
  return [...(isOpen ? [path] : []), ...inner.flatMap((one) => asking(one, plan, `${path}/`))]
}

function hasDefault(given: Template): boolean {
  if (given.kind === 'literal') return isJsonObject(given.value) && given.value['default'] !== undefined
  return given.kind === 'object' && given.entries.some(([key]) => key === 'default')
}
