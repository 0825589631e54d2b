import type { Plan, StepPlan } from '../plan/plan.ts'
import { caughtSteps, childOf, innerSteps, isLoop, stepsOf } from '../plan/plan-walk.ts'
import { catchPath } from '../plan/step-address.ts'
import { createPlanIndex } from '../record/plan-index.ts'

/** A step of a plan, and where it stands. */
export interface PlacedStep {
  /** Without places in loops, such as `hosts/look`. */
  readonly path: string
  readonly step: StepPlan
  /** It is a loop, or inside one. */
  readonly isInLoop: boolean
}

/** Every step of a plan in its order, those of the runbooks that it runs included; what is around others comes first. */
export function placedSteps(plan: Plan): readonly PlacedStep[] {
  const list = (steps: readonly StepPlan[], around: string, isInLoop: boolean): PlacedStep[] =>
    steps.flatMap((step) => one(step, around === '' ? step.id : `${around}/${step.id}`, isInLoop))
  const one = (step: StepPlan, path: string, isInside: boolean): PlacedStep[] => {
    const isInLoop = isInside || isLoop(step)
    const child = childOf(step, plan)
    return [
      { path, step, isInLoop },
      ...list(child ? stepsOf(child) : innerSteps(step), path, isInLoop),
      // What catches the failure of a loop stands outside of it.
      ...list(caughtSteps(step), catchPath(step, path), isInside),
    ]
  }
  return list(stepsOf(plan), '', false)
}

/** Says whether a plan has a step with this path that calls this action. */
export function hasStepIn(plan: Plan): (path: string, action: string) => boolean {
  const steps = new Set(
    placedSteps(plan).map(({ path, step }) => `${path} ${step.kind === 'uses' ? step.uses.action.name : ''}`),
  )
  return (path, action) => steps.has(`${path} ${action}`)
}

/** Recognizes calls that changed something outside, by the plan that made them. A call of no plan counts as one. */
export function findWrites(
  plans: readonly Plan[],
  local: ReadonlySet<string>,
): (call: { readonly path: string; readonly action: string }) => boolean {
  const indexes = plans.map(createPlanIndex)
  return ({ path, action }) => {
    if (local.has(action)) return false
    const safeties = indexes.flatMap((index) => {
      const step = index.ownerOf(path)?.step
      return step?.kind === 'uses' && step.uses.action.name === action ? [step.uses.action.safety] : []
    })
    return safeties.length === 0 || safeties.some((safety) => safety !== 'read')
  }
}
