/** Where each kind of step keeps the steps inside it. A new kind is added here, and where code branches by kind. */
import type { Plan, StepPlan, UsesStepPlan } from './plan.ts'

/** The steps of a plan that are in no other step: its own, then those of its `finally`. */
export function stepsOf(plan: Pick<Plan, 'steps' | 'finally'>): readonly StepPlan[] {
  return [...plan.steps, ...(plan.finally ?? [])]
}

/** The steps of a `catch`, of all its entries. */
export function caughtSteps(step: Pick<StepPlan, 'catch'>): readonly StepPlan[] {
  return step.catch?.flatMap(({ steps }) => steps) ?? []
}

/** The steps directly inside a step, without those of its `catch` and those of the runbook that it runs. */
export function innerSteps(step: StepPlan): readonly StepPlan[] {
  switch (step.kind) {
    case 'uses':
      return []
    case 'block':
      return [...step.steps, ...(step.finally ?? [])]
    case 'parallel':
      return step.branches
    case 'choose':
      return step.choices.flatMap(({ steps }) => steps)
  }
}

/** Whether the paths of the steps inside have a position: of an item, or of a turn. */
export function isLoop(step: StepPlan): boolean {
  return step.forEach !== undefined || (step.kind === 'block' && step.turns !== undefined)
}

/** The runbook that a step runs. */
export function childOf(step: StepPlan, { children = {} }: Pick<Plan, 'children'>): Plan | undefined {
  return step.kind === 'uses' && step.uses.runbook !== undefined ? children[step.uses.runbook] : undefined
}

/** What people see as the action of a step: of a block, what it is. */
export function actionName(step: StepPlan): string {
  return step.kind === 'uses' ? step.uses.action.name : step.kind
}

/** Every step of a plan and of the runbooks that it runs, each once. A step comes before the steps inside it. */
export function everyStep(plan: Plan): readonly StepPlan[] {
  const withInner = (step: StepPlan): readonly StepPlan[] => [
    step,
    ...innerSteps(step).flatMap(withInner),
    ...caughtSteps(step).flatMap(withInner),
  ]
  return [plan, ...Object.values(plan.children ?? {})].flatMap((one) => stepsOf(one).flatMap(withInner))
}

/** Whether a plan, a step of it, or a runbook that it runs has a `finally`. */
export function hasCleanUp(plan: Plan): boolean {
  return [plan, ...Object.values(plan.children ?? {}), ...everyStep(plan)].some(
    (one) => 'finally' in one && one.finally !== undefined,
  )
}

/** Every step that calls an action, those of child runbooks included. */
export function callingSteps(plan: Plan): readonly UsesStepPlan[] {
  return everyStep(plan).filter((step) => step.kind === 'uses')
}

/** Steps that run one after another see the earlier ones; branches do not. */
export type StepOrder = 'sequence' | 'parallel'

/** The step with other steps directly inside it. Its `catch` stays as it is. */
export function changeInnerSteps(
  step: StepPlan,
  change: (steps: readonly StepPlan[], order: StepOrder) => readonly StepPlan[],
): StepPlan {
  switch (step.kind) {
    case 'uses':
      return step
    case 'block': {
      const last = step.finally && { finally: change(step.finally, 'sequence') }
      return { ...step, steps: change(step.steps, 'sequence'), ...last }
    }
    case 'parallel':
      return { ...step, branches: change(step.branches, 'parallel') }
    case 'choose':
      return {
        ...step,
        choices: step.choices.map((choice) => ({ ...choice, steps: change(choice.steps, 'sequence') })),
      }
  }
}

/** The same entries of a `catch` with other steps. An absent one stays absent. */
export function changeCaughtSteps(
  step: Pick<StepPlan, 'catch'>,
  change: (steps: readonly StepPlan[]) => readonly StepPlan[],
): Pick<StepPlan, 'catch'> {
  return step.catch === undefined
    ? {}
    : { catch: step.catch.map((entry) => ({ ...entry, steps: change(entry.steps) })) }
}

/** Whether an expression of the plan, or of a runbook that it runs, reads `run.url`. */
export function readsUrl({ readsUrl: isRead, children = {} }: Plan): boolean {
  return isRead === true || Object.values(children).some(readsUrl)
}

/** Whether a run of the plan can ask for an approval. */
export function asksForApproval(plan: Plan): boolean {
  return everyStep(plan).some((step) => step.kind === 'uses' && step.uses.action.name === 'core/approve')
}
