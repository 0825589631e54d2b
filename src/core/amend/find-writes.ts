import type { Plan } from '../plan.ts'
import { createPlanIndex } from '../record/plan-index.ts'
import type { CallName } from './seed.ts'

/** Tells the calls that changed something elsewhere, by the plan they were made by. One that is in no plan may have. */
export function findWrites(
  plans: readonly Plan[],
  local: ReadonlySet<string>,
): (call: Pick<CallName, 'path' | 'action'>) => boolean {
  const indexes = plans.map(createPlanIndex)
  return ({ path, action }) => {
    if (local.has(action)) return false
    const safeties = indexes.flatMap((index) => {
      const step = index.ownerOf(path)?.step
      return step?.kind === 'uses' && step.uses.action.name === action ? [step.uses.action.safety] : []
    })
    return safeties.length === 0 || safeties.some((safety) => safety !== 'read')
  }
}
