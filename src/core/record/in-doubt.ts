import type { Safety } from '../action.ts'
import { type ErrorData, isUnclear } from '../run-error.ts'
import { isDoubtfulCreate, mayHaveBeenDone } from '../unknown-outcome.ts'

/**
 * Whether nobody knows what became of a call, by what its attempts failed with: the same judgement as that of the
 * interpreter, on what a record holds. `undefined` stands for an attempt whose process ended before its outcome was known.
 * `isInUnknown`: the step of the call has ended as unknown.
 */
export function isInDoubt(
  safety: Safety,
  failures: readonly (ErrorData | undefined)[],
  isInUnknown: boolean,
): boolean {
  const last = failures.at(-1)
  if (last?.isSettled) return false
  if (last?.code === 'OutcomeUnknown') return true
  if (safety === 'create') return last === undefined || isDoubtfulCreate({ safety }, last)
  // What is safe to repeat is repeated, until it is refused. In a run that was cancelled it is not repeated either.
  if (safety !== 'idempotent' || (last && isUnclear(last))) return false
  if (last === undefined) return isInUnknown
  return failures.some((failure) => failure && mayHaveBeenDone(failure))
}
