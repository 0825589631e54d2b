import type { CatchPlan, Plan, StepPlan, UsesPlan } from '../../core/plan.ts'

/** Every call of an action that a plan can make, those of the runbooks that it runs included. */
export function usesOf({ children = {}, ...plan }: Plan): readonly UsesPlan[] {
  return [plan, ...Object.values(children)].flatMap((one) => [
    ...inSteps(one.steps),
    ...inCatch(one.catch),
    ...inSteps(one.finally),
  ])
}

function inSteps(steps: readonly StepPlan[] = []): readonly UsesPlan[] {
  return steps.flatMap((step) => [...inBody(step), ...inCatch(step.catch)])
}

function inCatch(entries: readonly CatchPlan[] = []): readonly UsesPlan[] {
  return entries.flatMap(({ steps }) => inSteps(steps))
}

function inBody(step: StepPlan): readonly UsesPlan[] {
  switch (step.kind) {
    case 'uses':
      return [step.uses]
    case 'block':
      return [...inSteps(step.steps), ...inSteps(step.finally)]
    case 'parallel':
      return inSteps(step.branches)
  }
}
