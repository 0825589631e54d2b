import type { CheckedInputs } from '../../../core/host.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Plan } from '../../../core/plan.ts'
import { checkInputsActivity, type InputsOrder, type KeptPage, keepLogActivity } from '../messages.ts'

/** What a worker that carries out runs needs besides the code of the workflows. */
export interface LocalActivityOptions {
  /** Checks what a step gives to the runbook that it runs. */
  readonly checkInputs: (child: Pick<Plan, 'name' | 'inputs'>, given: JsonObject) => CheckedInputs
}

/** The activities that the worker of a run executes within a task of its workflow, with no queue in between. */
export function createLocalActivities({
  checkInputs,
}: LocalActivityOptions): Record<string, (order: never) => Promise<unknown>> {
  return {
    [checkInputsActivity]: async ({ plan, given }: InputsOrder) => checkInputs(plan, given),
    [keepLogActivity]: async (page: KeptPage) => page,
  }
}
