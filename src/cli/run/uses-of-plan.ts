import type { ActionDescription } from '../../core/action.ts'
import type { CatchPlan, Plan, StepPlan, UsesPlan, UsesStepPlan } from '../../core/plan.ts'

/** Every call of an action that a plan can make, those of the runbooks that it runs included. */
export function usesOf(plan: Plan): readonly UsesPlan[] {
  return callingSteps(plan).map(({ uses }) => uses)
}

/** Whether a step calls the service over the default connection: those of other systems and of this machine need none. */
export function needsDefaultConnection(plan: Plan, actions: readonly ActionDescription[]): boolean {
  const needing = new Set(
    actions.filter((action) => !action.usesNoConnection && !action.isLocal).map(({ name }) => name),
  )
  return usesOf(plan).some(({ action, connection }) => connection === undefined && needing.has(action.name))
}

/** Every step that calls an action, those of the runbooks that a plan runs included. */
export function callingSteps({ children = {}, ...plan }: Plan): readonly UsesStepPlan[] {
  return [plan, ...Object.values(children)].flatMap((one) => [
    ...inSteps(one.steps),
    ...inCatch(one.catch),
    ...inSteps(one.finally),
  ])
}

function inSteps(steps: readonly StepPlan[] = []): readonly UsesStepPlan[] {
  return steps.flatMap((step) => [...inBody(step), ...inCatch(step.catch)])
}

function inCatch(entries: readonly CatchPlan[] = []): readonly UsesStepPlan[] {
  return entries.flatMap(({ steps }) => inSteps(steps))
}

function inBody(step: StepPlan): readonly UsesStepPlan[] {
  switch (step.kind) {
    case 'uses':
      return [step]
    case 'block':
      return [...inSteps(step.steps), ...inSteps(step.finally)]
    case 'parallel':
      return inSteps(step.branches)
  }
}
