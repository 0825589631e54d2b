import type { ActionDescription, Safety } from '../action.ts'
import { type ErrorData, leavesOutcomeUnknown } from '../run-error.ts'

/** Whether this failure leaves unknown if a create was executed, and no person has resolved it. */
export function isUnresolvedCreate({ safety }: Pick<ActionDescription, 'safety'>, error: ErrorData): boolean {
  return safety === 'create' && leavesOutcomeUnknown(error) && !isKnownToBeDone(error) && !error.isSettled
}

/** Whether the failed attempt, or an earlier one of the same number, may have been executed. */
export function mayHaveExecuted(error: ErrorData): boolean {
  return leavesOutcomeUnknown(error) || error.mayHaveExecuted === true
}

/** Whether neither the failed attempt, nor an earlier one of the same number, has sent anything. */
export function hasSentNothing(error: ErrorData): boolean {
  return error.notSent === true && error.mayHaveExecuted !== true
}

/**
 * The failure of an attempt that an earlier process began without recording an outcome: a write that is refused now may
 * have been executed then.
 */
export function withEarlierUnknownOutcome(error: ErrorData, safety: Safety): ErrorData {
  return safety !== 'idempotent' || leavesOutcomeUnknown(error) ? error : { ...error, mayHaveExecuted: true }
}

/** The last failure of a call as an outcome that only a person can settle. */
export function unknownOutcome(name: string, last: ErrorData, failures: readonly ErrorData[]): ErrorData {
  if (last.code === 'OutcomeUnknown') return last
  return {
    ...last,
    code: 'OutcomeUnknown',
    message: `${name} may or may not have been executed: ${failures.map(whatHappened).join('; then: ')}`,
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

function whatHappened({ message, mayHaveExecuted }: ErrorData): string {
  return mayHaveExecuted ? `a process ended in the middle of it; then: ${message}` : message
}
