import { render } from '../expressions/render.ts'
import type { Template } from '../expressions/tree.ts'
import type { BlockStepPlan, StepPlan } from '../plan/plan.ts'
import { formatDuration } from '../times/duration.ts'
import { runChoose } from './choose.ts'
import { runFinally } from './finally.ts'
import { type Frame, visibleSteps, withNames } from './frame.ts'
import { runParallel } from './parallel.ts'
import { runBlock } from './sequence.ts'
import type { StepResult } from './step-result.ts'
import { runWithin } from './time-limit.ts'
import { runTurns } from './turns.ts'
import { runUses } from './uses.ts'

/**
 * Runs what a step stands for once: for itself, or for one item of its loop. `path` is that of the step or item. The
 * clean-up of a block is left to the caller.
 */
export function runOnce(step: StepPlan, frame: Frame, path: string): Promise<StepResult> {
  const limit = step.timeoutMs === undefined ? undefined : timeLimit(step.timeoutMs, path)
  const own = frame.path === path ? frame : { ...frame, path }
  const result = runWithin(limit, own, (within) => runBody(step, within, path))
  return step.outputs === undefined ? result : withOwnOutputs(step.outputs, frame, result)
}

function timeLimit(limitMs: number, path: string): Parameters<typeof runWithin>[0] {
  const message = `worked longer than its timeout of ${formatDuration(limitMs)}`
  return { limitMs, path, error: { code: 'StepTimeout', message, path } }
}

function runBody(step: StepPlan, frame: Frame, path: string): Promise<StepResult> {
  switch (step.kind) {
    case 'uses':
      return runUses(path, step.uses, frame)
    case 'block':
      return step.turns ? runTurns(step, step.turns, frame, path) : runBlock(step.steps, frame)
    case 'parallel':
      return runParallel(step, frame)
    case 'choose':
      return runChoose(step, frame)
  }
}

/** What later steps see instead of what the body came to. Of a failure only as much as there is. */
async function withOwnOutputs(own: Template, frame: Frame, ran: Promise<StepResult>): Promise<StepResult> {
  const result = await ran
  const { outputs, ...rest } = result
  if (result.status !== 'succeeded' && outputs === undefined) return result
  const steps = { ...visibleSteps(frame), ...result.inner }
  const { scope } = withNames(frame, outputs === undefined ? { steps } : { steps, outputs })
  try {
    return { ...rest, outputs: render(own, scope) }
  } catch (thrown) {
    if (result.status === 'succeeded') throw thrown
    return rest
  }
}

/** Runs the clean-up of a block, however it ended: it sees the steps of the block. */
export function cleanUpBlock(block: BlockStepPlan, ended: StepResult, frame: Frame): Promise<StepResult> {
  const steps = { ...visibleSteps(frame), ...ended.inner }
  return runFinally(block.finally, ended, withNames(frame, { steps }))
}
