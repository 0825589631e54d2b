import type { Plan } from '../../../core/plan.ts'
import { isInDoubt } from '../../../core/record/in-doubt.ts'
import { createPlanIndex } from '../../../core/record/plan-index.ts'
import type { UndecidedCall } from '../../engine.ts'
import type { Carried, CarriedAttempt } from '../carried.ts'

/** The writes of a run that nobody has settled, in the order of their first attempts. */
export function findUndecided(plan: Plan, { attempts, results }: Carried): readonly UndecidedCall[] {
  const index = createPlanIndex(plan)
  const unknown = new Set(
    results.flatMap(([path, result]) => (result !== 'begun' && result.status === 'unknown' ? [path] : [])),
  )
  const byPath = new Map<string, CarriedAttempt[]>()
  for (const one of attempts) byPath.set(one.path, [...(byPath.get(one.path) ?? []), one])
  return [...byPath].flatMap(([path, calls]) => {
    const owner = index.ownerOf(path)
    const last = calls.at(-1)
    if (owner?.step.kind !== 'uses' || last?.attempted.status !== 'failed') return []
    // A run that was ended at the server has not come to say so.
    if (!unknown.has(owner.path) && last.attempted.error.code !== 'OutcomeUnknown') return []
    const { safety } = owner.step.uses.action
    const errors = calls.flatMap(({ attempted }) => (attempted.status === 'failed' ? [attempted.error] : []))
    if (!isInDoubt(safety === 'read' ? 'create' : safety, errors, true)) return []
    return [
      { path, step: owner.step.id, action: last.action, attempt: last.attempt, error: last.attempted.error },
    ]
  })
}
