import type { ErrorCode } from '../errors.ts'
import type { CatchPlan } from '../plan/plan.ts'
import { type ErrorData, endsRun, errorData, isStop } from '../run-error.ts'
import { withoutApprovals } from './approvals.ts'
import { holds } from './condition.ts'
import { type Frame, visibleSteps, withNames } from './frame.ts'
import { runSequence } from './sequence.ts'
import { type StepResult, visibleError, visibleResult } from './step-result.ts'

/**
 * Runs the first entry that fits the failure of a step. The result of its steps replaces the
 * failure, unless the entry says `then: fail`. Where they fail, their error has the first one as its cause. `frame` is
 * that of the entry's steps, `id` names the step.
 */
export async function runCatch(
  entries: readonly CatchPlan[] | undefined,
  failed: StepResult,
  frame: Frame,
  id: string,
): Promise<StepResult> {
  const { error } = failed
  if (!entries || !error || !isCatchable(failed) || frame.cancellation.reason) return failed
  // An unknown outcome takes precedence over an earlier error.
  const code = failed.status === 'unknown' ? 'OutcomeUnknown' : error.code
  const own = { [id]: visibleResult(failed, { isRead: true }) }
  const steps = { ...visibleSteps(frame), ...failed.inner, ...own }
  const inside = withNames({ ...frame, ...withoutApprovals(frame) }, { steps, error: visibleError(error) })
  let entry: CatchPlan | undefined
  try {
    entry = entries.find((one) => isFor(one, code) && (!one.when || holds(one.when, 'when', inside.scope)))
  } catch (thrown) {
    if (endsRun(thrown)) throw thrown
    // A person resolves an unknown outcome first, whatever else is wrong.
    if (failed.status === 'unknown') return failed
    return { ...failed, error: { path: frame.path, ...errorData(thrown), cause: error } }
  }
  return entry ? runEntry(entry, failed, error, inside) : failed
}

async function runEntry(
  { steps, keepsFailure }: CatchPlan,
  failed: StepResult,
  error: ErrorData,
  frame: Frame,
): Promise<StepResult> {
  const { failure, attempts: more, keptBytes } = await runSequence(steps, frame)
  frame.memory.release(keptBytes)
  const attempts = failed.attempts + more
  if (keepsFailure && (!failure || failure.status === 'failed')) return { ...failed, attempts }
  const inner = failed.inner ? { inner: failed.inner } : {}
  if (!failure) return { status: 'succeeded', attempts, ...inner }
  const both = failure.error && { error: { ...failure.error, cause: error } }
  return { status: failure.status, attempts, ...inner, ...both }
}

function isCatchable({ status }: StepResult): boolean {
  return status === 'failed' || status === 'unknown'
}

/** An unknown outcome is caught by its name only, and not by `all`. */
function isFor({ errors }: CatchPlan, code: ErrorCode): boolean {
  if (isStop(code)) return false
  return errors === 'all' ? code !== 'OutcomeUnknown' : errors.includes(code)
}
