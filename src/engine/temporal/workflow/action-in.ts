import type { CallRequest } from '../../../core/host.ts'
import type { UsesPlan } from '../../../core/plan.ts'
import type { PlanIndex } from '../../../core/record/plan-index.ts'

/** The action of a call, as the plan describes it; undefined where the step names another one. */
export function actionIn(
  index: PlanIndex,
  { path, action }: Pick<CallRequest, 'path' | 'action'>,
): UsesPlan['action'] | undefined {
  const step = index.ownerOf(path)?.step
  return step?.kind === 'uses' && step.uses.action.name === action ? step.uses.action : undefined
}
