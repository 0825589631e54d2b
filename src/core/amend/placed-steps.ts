import type { CatchPlan, Plan, StepPlan } from '../plan.ts'
import { catchPath } from '../steps/catch-path.ts'

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
  const { children = {} } = plan
  const list = (steps: readonly StepPlan[] | undefined, around: string, isInLoop: boolean): PlacedStep[] =>
    (steps ?? []).flatMap((step) => one(step, around === '' ? step.id : `${around}/${step.id}`, isInLoop))
  const caught = (
    entries: readonly CatchPlan[] | undefined,
    around: string,
    isInLoop: boolean,
  ): PlacedStep[] => (entries ?? []).flatMap(({ steps }) => list(steps, around, isInLoop))
  const document = (one: Plan, around: string, isInLoop: boolean): PlacedStep[] => [
    ...list(one.steps, around, isInLoop),
    ...caught(one.catch, around, isInLoop),
    ...list(one.finally, around, isInLoop),
  ]
  const one = (step: StepPlan, path: string, isInside: boolean): PlacedStep[] => {
    const isInLoop = isInside || step.forEach !== undefined
    const inner = inside(step, path, isInLoop)
    // What catches the failure of a loop stands outside of it.
    return [{ path, step, isInLoop }, ...inner, ...caught(step.catch, catchPath(step, path), isInside)]
  }
  const inside = (step: StepPlan, path: string, isInLoop: boolean): PlacedStep[] => {
    switch (step.kind) {
      case 'uses': {
        const child = children[step.uses.runbook ?? '']
        return child ? document(child, path, isInLoop) : []
      }
      case 'block':
        return [...list(step.steps, path, isInLoop), ...list(step.finally, path, isInLoop)]
      case 'parallel':
        return list(step.branches, path, isInLoop)
    }
  }
  return document(plan, '', false)
}

/** Says whether a plan has a step with this path that calls this action. */
export function hasStepIn(plan: Plan): (path: string, action: string) => boolean {
  const steps = new Set(
    placedSteps(plan).map(({ path, step }) => `${path} ${step.kind === 'uses' ? step.uses.action.name : ''}`),
  )
  return (path, action) => steps.has(`${path} ${action}`)
}
