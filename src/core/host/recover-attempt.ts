import type { Safety } from '../action.ts'
import type { AttemptResult } from '../calls/attempts.ts'
import type { ErrorData } from '../run-error.ts'

/** What a host knows of an attempt before it makes it. */
export interface RecoveryFacts {
  /** What the record holds: the result, or `begun` where the attempt never ended. Undefined: nothing. */
  readonly known: AttemptResult | 'begun' | undefined
  readonly safety: Safety
  /** The caller no longer wants the attempt. */
  readonly isCancelled: boolean
  /** The run was resumed, so its events report again what is replayed. */
  readonly isResumed: boolean
  /** What the run did before a resume with changes. `result`: this call can reuse the result of an equal one. */
  readonly reusable?: 'result' | 'unknown-outcome' | undefined
}

/** What a host does instead of, or before, it makes an attempt. */
export type Recovery =
  /**
   * Answers with the recorded result. `recorded`: in the order in which the attempts ended; `last`: after all others,
   * since the run was cancelled when this one ended.
   */
  | { readonly kind: 'replay'; readonly order: 'recorded' | 'last'; readonly isReported: boolean }
  /** Sends nothing and answers with `Cancelled`. `mayHaveExecuted`: an earlier process may have done it. */
  | { readonly kind: 'abandoned'; readonly mayHaveExecuted: boolean }
  /** Sends nothing and answers with `OutcomeUnknown`: a create was begun, and a second one could create twice. */
  | { readonly kind: 'lost-create' }
  /** Makes the attempt again. An earlier process began it and never recorded its outcome. */
  | { readonly kind: 'retry-with-unknown-outcome' }
  /** Answers with the reusable result. */
  | { readonly kind: 'reuse' }
  /** Makes the attempt for the first time. */
  | { readonly kind: 'new' }

/**
 * Decides what becomes of an attempt, by what is known of it. Both engines decide here, so a create whose outcome is
 * unknown is never sent a second time. A host decides again once facts have changed, such as after a pause.
 */
export function recoverAttempt(facts: RecoveryFacts): Recovery {
  const { known, safety, isCancelled, isResumed, reusable } = facts
  if (known !== undefined && known !== 'begun' && !isCancelledBeforeDone(known, safety)) {
    const isReported = known.status === 'succeeded' && isResumed
    return { kind: 'replay', order: isCancelledResult(known) ? 'last' : 'recorded', isReported }
  }
  const isLost = hasUnknownOutcome(known)
  if (isLost && safety === 'create') return { kind: 'lost-create' }
  if (isCancelled) return { kind: 'abandoned', mayHaveExecuted: isLost && safety === 'idempotent' }
  if (isLost) return { kind: 'retry-with-unknown-outcome' }
  if (known !== undefined || reusable === undefined) return { kind: 'new' }
  if (reusable === 'result') return { kind: 'reuse' }
  return { kind: safety === 'create' ? 'lost-create' : 'retry-with-unknown-outcome' }
}

/** What a call that was looked for among the reusable results found there. */
export function reusableOf(
  taken: { readonly kind: 'reused' } | { readonly kind: 'to-make'; readonly hasUnknownOutcome: boolean },
): RecoveryFacts['reusable'] {
  if (taken.kind === 'reused') return 'result'
  return taken.hasUnknownOutcome ? 'unknown-outcome' : undefined
}

/** How a create fails that was begun and whose outcome was never recorded. */
export function lostCreate(action: string, path: string): ErrorData {
  const message = `${action} was begun, and the process ended before its outcome was known`
  return { code: 'OutcomeUnknown', message, path }
}

/** How an attempt fails that was cancelled before it was made. */
export function abandonedAttempt(
  path: string,
  reason: ErrorData,
  { mayHaveExecuted }: Extract<Recovery, { readonly kind: 'abandoned' }>,
): ErrorData {
  return {
    ...reason,
    code: 'Cancelled',
    path,
    notSent: true,
    ...(mayHaveExecuted ? { mayHaveExecuted } : {}),
  }
}

/** It changed nothing, so it can be made again where the run still wants it. */
function isCancelledBeforeDone(known: AttemptResult, safety: Safety): boolean {
  return isCancelledResult(known) && (safety === 'read' || known.error.notSent === true)
}

function isCancelledResult(known: AttemptResult): known is AttemptResult & { readonly status: 'failed' } {
  return known.status === 'failed' && known.error.code === 'Cancelled'
}

/** The process that began it ended in the middle, or the one after it was cancelled before it sent anything. */
function hasUnknownOutcome(known: RecoveryFacts['known']): boolean {
  return known === 'begun' || (known?.status === 'failed' && known.error.mayHaveExecuted === true)
}
