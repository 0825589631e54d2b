import type { ResumeComparison, StepComparison } from '../../core/amend/resume-comparison.ts'
import { createPlanIndex } from '../../core/record/plan-index.ts'
import type { RunRecord, StepRecord } from '../../core/record/run-record.ts'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'

/** What a resume without a change would do: what has ended well counts, the rest is tried. */
export function plainComparison(run: RunRecord): ResumeComparison {
  const { run_id, runbook, plan, status, steps } = run
  if (status === 'succeeded' || status === 'cancelled') {
    const ended =
      status === 'succeeded' ? 'has succeeded: nothing is left to do' : 'was cancelled: start it anew'
    throw new CommandError(exitCodes.usage, `${run_id} ${ended}`)
  }
  const index = createPlanIndex(plan)
  const isWrite = (path: string): boolean => {
    const step = index.ownerOf(path)?.step
    return step?.kind === 'uses' && step.uses.action.safety !== 'read'
  }
  return {
    run_id,
    runbook,
    plan_hash_before: plan.hash,
    plan_hash: plan.hash,
    changed_inputs: [],
    // What is in a loop is told of by the loop.
    steps: steps
      .filter(({ path }) => !path.includes('['))
      .map((step) => ({
        path: step.path,
        action: step.action,
        is_write: isWrite(step.path),
        done: step.attempts,
        ...fateOf(step),
      })),
  }
}

function fateOf({ status, is_warning, error }: StepRecord): Pick<StepComparison, 'fate' | 'reason'> {
  if (status === 'succeeded' || status === 'skipped' || is_warning) return { fate: 'reused' }
  if (status === 'unknown') return { fate: 'to-do', reason: 'continues with what "opsbook decide" records' }
  return { fate: 'to-do', ...(error === undefined ? {} : { reason: `tried again: ${error.code}` }) }
}
