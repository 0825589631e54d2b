import type { Safety } from '../../../core/action.ts'
import type { Plan } from '../../../core/plan.ts'
import { createPlanIndex } from '../../../core/record/plan-index.ts'
import { type ErrorData, isUnclear } from '../../../core/run-error.ts'
import type { Carried, CarriedAttempt } from '../carried.ts'

/** A write of which nobody knows whether it was carried out. */
export interface UndecidedCall {
  /** Of the call, such as `create`, `hosts[3]/create` or `create/group-2`. */
  readonly path: string
  /** The id of the step. */
  readonly step: string
  readonly action: string
  /** The last one. */
  readonly attempt: number
  readonly error: ErrorData
}

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
    if (owner?.step.kind !== 'uses' || last?.attempted.status !== 'failed' || !unknown.has(owner.path))
      return []
    const { safety } = owner.step.uses.action
    if (!isInDoubt(safety === 'read' ? 'create' : safety, calls)) return []
    return [
      { path, step: owner.step.id, action: last.action, attempt: last.attempt, error: last.attempted.error },
    ]
  })
}

/** The same judgement as that of the interpreter, on what was answered. */
function isInDoubt(safety: Safety, calls: readonly CarriedAttempt[]): boolean {
  const errors = calls.flatMap(({ attempted }) => (attempted.status === 'failed' ? [attempted.error] : []))
  const last = errors.at(-1)
  if (last === undefined || last.isSettled) return false
  if (last.code === 'OutcomeUnknown') return true
  if (safety === 'create') return isUnclear(last) && last.code !== 'OutputTooLarge'
  if (isUnclear(last)) return false
  return errors.some((error) => isUnclear(error) || error.mayBeDone === true)
}
