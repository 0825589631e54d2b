import type { Safety } from '../action.ts'
import { isUnresolvedCreate, mayHaveExecuted } from '../calls/unknown-outcome.ts'
import type { Identity } from '../events.ts'
import { identityText } from '../people/identity.ts'
import { type ErrorData, leavesOutcomeUnknown, RunbookError, refused } from '../run-error.ts'
import { shellWord } from '../text/shell-word.ts'
import type { DecisionRecord } from './run-history.ts'

/**
 * Whether the outcome of a call is unknown, by the failures of its attempts: the same judgement as that of the
 * interpreter, on the record. `undefined` is an attempt whose process ended before its outcome was known.
 * `isInUnknown`: the step of the call has ended as unknown.
 */
export function hasUnknownOutcome(
  safety: Safety,
  failures: readonly (ErrorData | undefined)[],
  isInUnknown: boolean,
): boolean {
  const last = failures.at(-1)
  if (last?.isSettled) return false
  if (last?.code === 'OutcomeUnknown') return true
  if (safety === 'create') return last === undefined || isUnresolvedCreate({ safety }, last)
  // What is safe to repeat is repeated, until it is refused. In a run that was cancelled it is not repeated either.
  if (safety !== 'idempotent' || (last && leavesOutcomeUnknown(last))) return false
  if (last === undefined) return isInUnknown
  return failures.some((failure) => failure && mayHaveExecuted(failure))
}

/** The result of a call once a person has found out that it was not executed. */
export function resolvedAsFailed(
  { path, action }: { readonly path: string; readonly action: string },
  { by, comment }: { readonly by: Identity; readonly comment?: string | undefined },
): ErrorData {
  const said = comment === undefined ? '' : `: ${comment}`
  const message = `${identityText(by)} found out that ${action} was not executed${said}`
  return { code: 'DecidedFailed', message, path, isSettled: true }
}

/**
 * The result of a call whose run was cancelled while its outcome was unknown: it stays unknown. Its cause is why;
 * without one, its process ended before an answer was recorded.
 */
export function leftUnresolved({
  path,
  action,
  error: cause,
}: {
  readonly path: string
  readonly action: string
  readonly error?: ErrorData
}): ErrorData {
  const why = cause === undefined ? '' : `: ${cause.message}`
  const message = `the run was cancelled, and it is unknown whether ${action} was executed${why}`
  return { code: 'Cancelled', message, path, isSettled: true, ...(cause === undefined ? {} : { cause }) }
}

/** Whether a cancellation has left the outcome of the call unknown. */
export function isLeftUnresolved(error: ErrorData | undefined): boolean {
  return error?.code === 'Cancelled' && error.isSettled === true
}

/** Refuses a decision on a call that another decision has resolved, and that the run has not used yet. */
export function refusedAsDecided(runId: string, { path, decision, by, at }: DecisionRecord): RunbookError {
  return refused(
    `${path} of ${runId} is resolved already: as ${decision} by ${identityText(by)} at ${at}`,
    `"opsbook decide ${runId} ${shellWord(path)} --as … --replace" decides it once more, until the run has used it.`,
  )
}

/** A decision cannot be taken back any more: what followed from it cannot be undone. `step` is the id of the step. */
export function refusedAsContinued(
  runId: string,
  status: string,
  { path, decision, by, at }: DecisionRecord,
  step: string,
): RunbookError {
  const was = `${path} of ${runId} was decided as ${decision} by ${identityText(by)} at ${at}`
  if (status === 'succeeded' || status === 'cancelled') {
    const ended = `it ${status === 'cancelled' ? 'was' : 'has'} ${status}`
    return refused(`${was}, and the run has ended since: ${ended}`)
  }
  const instead = `"opsbook resume ${runId} --repeat ${step}" makes the call again, "--keep ${step}" keeps its result`
  return refused(`${was}, and the run has continued with that: it cannot be decided again; ${instead}`)
}

/** A person must say first what became of a write. */
export function needsDecision(runId: string, path: string): RunbookError {
  const message = `${runId} needs a decision first: the outcome of ${path} is unknown`
  return new RunbookError('OutcomeUnknown', message, { notSent: true })
}
