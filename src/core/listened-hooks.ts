import type { ListenPlan, Plan } from './plan.ts'
import { everyStep } from './plan-walk.ts'

/** The steps of a plan, and of the runbooks that it runs, that wait for events. */
export function listeningSteps(plan: Plan): readonly (ListenPlan & { readonly id: string })[] {
  return everyStep(plan).flatMap((step) =>
    step.kind === 'uses' && step.uses.listen ? [{ ...step.uses.listen, id: step.id }] : [],
  )
}

/** Every hook whose events a run of the plan can hear. */
export function listenedHooks(plan: Plan): readonly string[] {
  return [...new Set(listeningSteps(plan).map(({ hook }) => hook))]
}
