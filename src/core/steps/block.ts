import type { BlockStepPlan } from '../plan.ts'
import { runFinally } from './finally.ts'
import { type Frame, visibleSteps, withNames } from './frame.ts'
import { runSequence } from './sequence.ts'
import type { StepResult } from './step-result.ts'

/** Runs the steps of a block. Its clean-up comes later, after what catches its failure. */
export async function runBlock({ steps }: BlockStepPlan, frame: Frame): Promise<StepResult> {
  const { results, attempts, failure, keptBytes } = await runSequence(steps, frame)
  frame.memory.release(keptBytes)
  if (!failure) return { status: 'succeeded', attempts, inner: results }
  const { status, error } = failure
  return { status, attempts, inner: results, ...(error ? { error } : {}) }
}

/** Runs the clean-up of a block, however it ended: it sees the steps of the block. */
export function cleanUpBlock(block: BlockStepPlan, ended: StepResult, frame: Frame): Promise<StepResult> {
  const steps = { ...visibleSteps(frame), ...ended.inner }
  return runFinally(block.finally, ended, withNames(frame, { steps }))
}
