import type { Plan, StepPlan } from '../plan.ts'
import { catchSegment } from '../steps/catch-path.ts'

/** Finds the steps of a plan by the paths that a run gives them. */
export interface PlanIndex {
  /**
   * The step that a path belongs to, and the path of that step: of `hosts[3]/export/group-2` the step `export` at
   * `hosts[3]/export`. Undefined for the path of a plan that this is not.
   */
  ownerOf(path: string): { readonly step: StepPlan; readonly path: string } | undefined
  /** Everything that can stand right inside a step, by its id. */
  inside(step: StepPlan): ReadonlyMap<string, StepPlan>
  /** The runbook that a step runs. */
  childOf(step: StepPlan): Plan | undefined
}

export function createPlanIndex(plan: Plan): PlanIndex {
  const children = plan.children ?? {}
  const top = byId(stepsOfDocument(plan))
  const known = new Map<StepPlan, ReadonlyMap<string, StepPlan>>()
  const childOf = (step: StepPlan): Plan | undefined =>
    step.kind === 'uses' && step.uses.runbook !== undefined ? children[step.uses.runbook] : undefined
  const inside = (step: StepPlan): ReadonlyMap<string, StepPlan> => {
    const made = known.get(step) ?? byId(stepsInside(step, childOf(step)))
    known.set(step, made)
    return made
  }
  return {
    ownerOf(path) {
      let steps = top
      let found: { readonly step: StepPlan; readonly path: string } | undefined
      for (let start = 0; start < path.length; ) {
        const slash = path.indexOf('/', start)
        const end = slash < 0 ? path.length : slash
        const bracket = path.indexOf('[', start)
        const idEnd = bracket >= 0 && bracket < end ? bracket : end
        if (found && path.slice(start, end) === catchSegment) {
          steps = byId(caughtSteps(found.step))
          start = end + 1
          continue
        }
        const step = steps.get(path.slice(start, idEnd))
        if (!step) return found
        found = { step, path: path.slice(0, idEnd) }
        steps = inside(step)
        start = end + 1
      }
      return found
    },
    inside,
    childOf,
  }
}

function stepsOfDocument(plan: Plan): readonly StepPlan[] {
  const caught = plan.catch?.flatMap(({ steps }) => steps) ?? []
  return [...plan.steps, ...caught, ...(plan.finally ?? [])]
}

function caughtSteps(step: StepPlan): readonly StepPlan[] {
  return step.catch?.flatMap(({ steps }) => steps) ?? []
}

function stepsInside(step: StepPlan, child: Plan | undefined): readonly StepPlan[] {
  const caught = caughtSteps(step)
  switch (step.kind) {
    case 'uses':
      return child ? stepsOfDocument(child) : caught
    case 'block':
      return [...step.steps, ...(step.finally ?? []), ...caught]
    case 'parallel':
      return [...step.branches, ...caught]
  }
}

function byId(steps: readonly StepPlan[]): ReadonlyMap<string, StepPlan> {
  return new Map(steps.map((step) => [step.id, step]))
}
