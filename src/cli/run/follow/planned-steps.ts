import type { Plan, StepPlan } from '../../../core/plan.ts'

/** A step that is known before it starts. */
export interface PlannedStep {
  readonly path: string
  readonly name?: string
  readonly action: string
}

/** Every step that a run has exactly once: those of blocks and branches too, none of what a loop repeats. */
export function plannedSteps({
  steps,
  finally: last = [],
}: Pick<Plan, 'steps' | 'finally'>): readonly PlannedStep[] {
  return [...steps, ...last].flatMap((step) => withInner(step, step.id))
}

function withInner(step: StepPlan, path: string): readonly PlannedStep[] {
  const action = step.kind === 'uses' ? step.uses.action.name : step.kind
  const own = { path, action, ...(step.name === undefined ? {} : { name: step.name }) }
  return [own, ...innerSteps(step).flatMap((inner) => withInner(inner, `${path}/${inner.id}`))]
}

function innerSteps(step: StepPlan): readonly StepPlan[] {
  if (step.forEach || step.kind === 'uses') return []
  return step.kind === 'parallel' ? step.branches : [...step.steps, ...(step.finally ?? [])]
}
