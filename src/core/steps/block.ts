import type { BlockStepPlan } from '../plan.ts'
import { runFinally } from './finally.ts'
import { type Frame, withNames } from './frame.ts'
import { runSequence } from './sequence.ts'
import type { StepResult } from './step-result.ts'

/** Runs the steps of a block, and then its clean-up, however they went. */
export async function runBlock(block: BlockStepPlan, frame: Frame): Promise<StepResult> {
  const { results, attempts, failure, keptBytes } = await runSequence(block.steps, frame)
  const ended: StepResult = failure
    ? { status: failure.status, attempts, inner: results, ...(failure.error ? { error: failure.error } : {}) }
    : { status: 'succeeded', attempts, inner: results }
  const cleaned = await runFinally(block.finally, ended, withNames(frame, { steps: results }))
  frame.memory.release(keptBytes)
  return cleaned
}
