import {
  catchPath,
  caughtSteps,
  childOf,
  innerSteps,
  type Plan,
  type StepPlan,
  stepAddressOfCall,
  stepsOf,
  withoutPositions,
} from '../../core/plan/index.ts'

/** The steps of a plan by the paths that a run gives them, without the positions of items and turns. */
export type StepPaths = ReadonlyMap<string, StepPlan>

export function stepPaths(plan: Plan): StepPaths {
  const paths = new Map<string, StepPlan>()
  const visit = (steps: readonly StepPlan[], prefix: string): void => {
    for (const step of steps) {
      const path = `${prefix}${step.id}`
      paths.set(path, step)
      const child = childOf(step, plan)
      visit(child ? stepsOf(child) : innerSteps(step), `${path}/`)
      visit(caughtSteps(step), `${catchPath(step, path)}/`)
    }
  }
  visit(stepsOf(plan), '')
  return paths
}

/** The path of the step of a call: without group or poll, and without the positions of items and turns. */
export function stepPathOf(callPath: string): string {
  return withoutPositions(stepAddressOfCall(callPath))
}

/** The names under which a script can stand for a call, the most exact first. */
export function scriptNames({
  path,
  action,
}: {
  readonly path: string
  readonly action: string
}): readonly string[] {
  const address = stepAddressOfCall(path)
  return [path, address, withoutPositions(address), action]
}

/** Whether a name stands for a path: with positions for one item, without for all of them. */
export function isNamedCall(path: string, name: string): boolean {
  const address = stepAddressOfCall(path)
  return path === name || address === name || withoutPositions(address) === name
}
