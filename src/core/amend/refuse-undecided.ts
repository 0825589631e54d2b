import type { Plan } from '../plan.ts'
import { createPlanIndex } from '../record/plan-index.ts'
import { type ErrorData, isUnclear, RunbookError } from '../run-error.ts'

/** An attempt that counts, and how it ended; without an error where that is not known. */
export interface UnsettledAttempt {
  readonly path: string
  readonly error?: ErrorData
}

/** So many are named. */
const named = 5

/** Throws `OutcomeUnknown` where nobody knows of a create whether it was carried out: that is settled first. */
export function refuseUndecided(
  { id, plan }: { readonly id: string; readonly plan: Plan },
  attempts: Iterable<UnsettledAttempt>,
): void {
  const index = createPlanIndex(plan)
  const paths: string[] = []
  for (const { path, error } of attempts) {
    const step = index.ownerOf(path)?.step
    const isCreate = step?.kind === 'uses' && step.uses.action.safety === 'create'
    if (isCreate && (error === undefined || isOpen(error))) paths.push(path)
  }
  if (paths.length === 0) return
  const list = paths.slice(0, named).join(', ') + (paths.length > named ? ' …' : '')
  const message = `${id} needs a decision first: nobody knows whether ${list} was carried out; nothing was changed`
  throw new RunbookError('OutcomeUnknown', message, { notSent: true })
}

function isOpen(error: ErrorData): boolean {
  // It was carried out, and answered more than can be kept.
  return isUnclear(error) && error.code !== 'OutputTooLarge'
}
