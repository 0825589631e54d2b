import { type Plan, type StepPlan, stepAddressOfCall, withoutPositions } from '../../core/plan/index.ts'
import { placedSteps } from '../../core/resume/index.ts'

/** The steps of a plan by the paths that a run gives them, without the positions of items and turns. */
export function stepPaths(plan: Plan): ReadonlyMap<string, StepPlan> {
  return new Map(placedSteps(plan).map(({ path, step }) => [path, step]))
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
