import type { CallRequest } from '../../../core/host.ts'
import type { UsesPlan } from '../../../core/plan.ts'
import type { PlanIndex } from '../../../core/record/plan-index.ts'

/** What the plan says of the action of a call; undefined where the step does not name it. A lost worker cannot be asked. */
export function actionIn(
  index: PlanIndex,
  { path, action }: Pick<CallRequest, 'path' | 'action'>,
): UsesPlan['action'] | undefined {
  const step = index.ownerOf(path)?.step
  return step?.kind === 'uses' && step.uses.action.name === action ? step.uses.action : undefined
}
