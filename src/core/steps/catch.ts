import type { ErrorCode } from '../errors.ts'
import type { CatchPlan } from '../plan.ts'
import { isStop } from '../run-error.ts'
import { type Frame, visibleSteps, withNames } from './frame.ts'
import { runSequence } from './sequence.ts'
import { type StepResult, visibleError, visibleResult } from './step-result.ts'

/**
 * Runs the first entry that is for the failure of a step, of a block or of the whole run; what its steps come to takes
 * the place of the failure. `frame` is where the entry's own steps are, `id` names the step that failed.
 */
export async function runCatch(
  entries: readonly CatchPlan[] | undefined,
  failed: StepResult,
  frame: Frame,
  id?: string,
): Promise<StepResult> {
  const { error } = failed
  const isWanted = isCatchable(failed) && !frame.cancellation.reason
  // What nobody knows weighs more than an error that came before it.
  const code = failed.status === 'unknown' ? 'OutcomeUnknown' : error?.code
  const entry = code && isWanted ? entries?.find((one) => isFor(one, code)) : undefined
  if (!error || !entry) return failed
  const own = id === undefined ? {} : { [id]: visibleResult(failed, true) }
  const steps = { ...visibleSteps(frame), ...failed.inner, ...own }
  const sequence = await runSequence(entry.steps, withNames(frame, { steps, error: visibleError(error) }))
  frame.memory.release(sequence.keptBytes)
  const attempts = failed.attempts + sequence.attempts
  const inner = failed.inner ? { inner: failed.inner } : {}
  const { failure } = sequence
  if (!failure) return { status: 'succeeded', attempts, ...inner }
  return { status: failure.status, attempts, ...inner, ...(failure.error ? { error: failure.error } : {}) }
}

function isCatchable({ status }: StepResult): boolean {
  return status === 'failed' || status === 'unknown'
}

/** What nobody can be sure of is never caught by accident: only by its name. */
function isFor({ errors }: CatchPlan, code: ErrorCode): boolean {
  if (isStop(code)) return false
  return errors === 'all' ? code !== 'OutcomeUnknown' : errors.includes(code)
}
