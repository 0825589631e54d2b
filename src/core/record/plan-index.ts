import type { Plan, StepPlan, UsesPlan } from '../plan/plan.ts'
import { caughtSteps, childOf, innerSteps, stepsOf } from '../plan/plan-walk.ts'
import { catchSegment } from '../plan/step-address.ts'

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

/** What the plan says of the action that a call is of; undefined where it is of no step of the plan. */
export function plannedAction(
  index: PlanIndex,
  { path, action }: { readonly path: string; readonly action: string },
): UsesPlan['action'] | undefined {
  const step = index.ownerOf(path)?.step
  return step?.kind === 'uses' && step.uses.action.name === action ? step.uses.action : undefined
}

export function createPlanIndex(plan: Plan): PlanIndex {
  const top = byId(stepsOf(plan))
  const known = new Map<StepPlan, ReadonlyMap<string, StepPlan>>()
  const inside = (step: StepPlan): ReadonlyMap<string, StepPlan> => {
    const made = known.get(step) ?? byId(stepsInside(step, childOf(step, plan)))
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
    childOf: (step) => childOf(step, plan),
  }
}

function stepsInside(step: StepPlan, child: Plan | undefined): readonly StepPlan[] {
  return child ? stepsOf(child) : [...innerSteps(step), ...caughtSteps(step)]
}

function byId(steps: readonly StepPlan[]): ReadonlyMap<string, StepPlan> {
  return new Map(steps.map((step) => [step.id, step]))
}
