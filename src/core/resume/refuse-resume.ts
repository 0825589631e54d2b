import type { Plan } from '../plan/plan.ts'
import { createPlanIndex } from '../record/plan-index.ts'
import { type ErrorData, leavesOutcomeUnknown, RunbookError, refused } from '../run-error.ts'
import { isCoveredPath, withoutPlaces } from './call-names.ts'
import type { ResumeComparison } from './resume-comparison.ts'

/** Throws `InvalidInput` where nothing can be kept of a step that is to be kept. */
export function refuseKept({ steps }: Pick<ResumeComparison, 'steps'>, keep: readonly string[]): void {
  for (const name of keep) {
    const inside = steps.filter(({ path }) => isCoveredPath(withoutPlaces(name), path))
    if (inside.some(({ fate }) => fate === 'kept')) continue
    throw refusedChange(`${name} cannot be kept: it was not done before with the action that it has now`)
  }
}

/** Throws `InvalidInput` where something must be said first. */
export function refuseChanges({ steps }: ResumeComparison): void {
  const open = steps.filter(({ fate }) => fate === 'needs-choice')
  if (open.length === 0) return
  const list = open.map(({ path, reason }) => (reason === undefined ? path : `${path} (${reason})`))
  throw refusedChange(
    `what these have done may be done twice, say of each whether to repeat or to keep it: ${list.join('; ')}`,
  )
}

/** The changes do not fit the run: the run is as it was. */
export function refusedChange(message: string): RunbookError {
  return refused(`${message}; nothing was changed`)
}

/** An attempt that counts. */
export interface CountingAttempt extends UnsettledAttempt {
  readonly action: string
  readonly isDone: boolean
}

/** An attempt that counts, and how it ended; without an error where that is not known. */
export interface UnsettledAttempt {
  readonly path: string
  readonly error?: ErrorData
}

/** How many calls a message names. */
const named = 5

/** Throws `OutcomeUnknown` where the outcome of a create is unknown: a person resolves it first. */
export function refuseUnresolved(
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
  const message = `${id} needs a decision first: the outcome of ${list} is unknown; nothing was changed`
  throw new RunbookError('OutcomeUnknown', message, { notSent: true })
}

function isOpen(error: ErrorData): boolean {
  // It was executed, and its answer was too large to keep.
  return leavesOutcomeUnknown(error) && error.code !== 'OutputTooLarge'
}
