import type { ListenPlan, Plan } from '../plan/plan.ts'
import { everyStep } from '../plan/plan-walk.ts'
import { callbackHook } from './callbacks.ts'

/** The steps of a plan, and of the runbooks that it runs, that wait for events. */
export function listeningSteps(plan: Plan): readonly (ListenPlan & { readonly id: string })[] {
  return everyStep(plan).flatMap((step) =>
    step.kind === 'uses' && step.uses.listen ? [{ ...step.uses.listen, id: step.id }] : [],
  )
}

/** The name under which the events that a step waits for are recorded. */
export function listenedHook({ hook = '', callback }: ListenPlan, runId: string): string {
  return callback === undefined ? hook : callbackHook(runId, callback)
}

/** Every hook that a run of the plan listens to, with its callbacks. */
export function listenedHooks(plan: Plan, runId: string): readonly string[] {
  return [...new Set(listeningSteps(plan).map((step) => listenedHook(step, runId)))]
}

/** Every callback that a step of the plan waits for, here or in a runbook that it runs. */
export function callbackNames(plan: Plan): readonly string[] {
  return [...new Set(listeningSteps(plan).flatMap(({ callback }) => callback ?? []))]
}
