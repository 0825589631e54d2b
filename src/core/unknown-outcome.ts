import type { ActionDescription, Safety } from './action.ts'
import { type ErrorData, isUnclear } from './run-error.ts'

/** Whether this failure leaves open if a create was carried out, with nobody having said so. */
export function isDoubtfulCreate({ safety }: Pick<ActionDescription, 'safety'>, error: ErrorData): boolean {
  return safety === 'create' && isUnclear(error) && !isKnownToBeDone(error) && !error.isSettled
}

/** Whether the attempt that failed so, or one of the same number before it, may have been carried out. */
export function mayHaveBeenDone(error: ErrorData): boolean {
  return isUnclear(error) || error.mayBeDone === true
}

/**
 * What an attempt failed with whose like was begun before and never heard of again: a write that is refused now may
 * have been carried out then.
 */
export function withEarlierDoubt(error: ErrorData, safety: Safety): ErrorData {
  return safety !== 'idempotent' || isUnclear(error) ? error : { ...error, mayBeDone: true }
}

/** The last failure of a call as an outcome that only a person can settle. */
export function unknownOutcome(name: string, last: ErrorData, failures: readonly ErrorData[]): ErrorData {
  if (last.code === 'OutcomeUnknown') return last
  return {
    ...last,
    code: 'OutcomeUnknown',
    message: `${name} may or may not have been carried out: ${failures.map(whatHappened).join('; then: ')}`,
    details: {
      errors: failures.map(({ code, message, details }) => ({
        code,
        message,
        ...(details === undefined ? {} : { details }),
      })),
    },
  }
}

/** What it answered is only too large to be kept. */
function isKnownToBeDone({ code }: ErrorData): boolean {
  return code === 'OutputTooLarge'
}

function whatHappened({ message, mayBeDone }: ErrorData): string {
  return mayBeDone ? `a process ended in the middle of it; then: ${message}` : message
}
