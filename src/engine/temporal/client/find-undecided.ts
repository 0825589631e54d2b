import { createPlanIndex } from '../../../core/record/plan-index.ts'
import type { AttemptRecord, RunRecord } from '../../../core/record/run-record.ts'
import { isUnclear } from '../../../core/run-error.ts'
import type { UndecidedCall } from '../../engine.ts'

/** The calls of a run of which nobody knows whether they were carried out: the last attempts of its unknown steps. */
export function findUndecided(
  { plan, steps }: Pick<RunRecord, 'plan' | 'steps'>,
  attempts: Iterable<AttemptRecord>,
): readonly UndecidedCall[] {
  const index = createPlanIndex(plan)
  const unknown = new Set(steps.flatMap(({ path, status }) => (status === 'unknown' ? [path] : [])))
  const last = new Map<string, AttemptRecord>()
  for (const attempt of attempts) last.set(attempt.path, attempt)
  return [...last.values()].flatMap(({ path, action, attempt, status, error }) => {
    const owner = index.ownerOf(path)
    const isInDoubt = status === 'begun' || (error !== undefined && (error.mayBeDone || isUnclear(error)))
    if (!owner || !unknown.has(owner.path) || !isInDoubt) return []
    return [{ path, step: owner.step.id, action, attempt, ...(error === undefined ? {} : { error }) }]
  })
}
