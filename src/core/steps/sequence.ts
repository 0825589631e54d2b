import type { JsonObject } from '../json.ts'
import type { StepPlan } from '../plan/plan.ts'
import { type Frame, visibleSteps, withNames } from './frame.ts'
import { runStep } from './step.ts'
import { bytesRead, cancelledResult, continues, type StepResult, visibleResult } from './step-result.ts'

/** What a sequence came to: what later expressions see as `steps`, and the result that ended it early. */
export interface SequenceResult {
  readonly results: JsonObject
  readonly attempts: number
  readonly failure?: StepResult
  /** What its outputs take in the state of the run, to be released when nothing can read them any more. */
  readonly keptBytes: number
}

/** Runs the steps of a block. Its clean-up comes later, after what catches its failure. */
export async function runBlock(steps: readonly StepPlan[], frame: Frame): Promise<StepResult> {
  const { results, attempts, failure, keptBytes } = await runSequence(steps, frame)
  frame.memory.release(keptBytes)
  if (!failure) return { status: 'succeeded', attempts, inner: results }
  const { status, error } = failure
  return { status, attempts, inner: results, ...(error ? { error } : {}) }
}

/** Runs steps one after another until one ends in a way that ends them all. Each sees those before it, and those around. */
export async function runSequence(steps: readonly StepPlan[], frame: Frame): Promise<SequenceResult> {
  const results: Record<string, JsonObject> = { ...visibleSteps(frame) } as Record<string, JsonObject>
  let attempts = 0
  let keptBytes = 0
  let left: StepResult | undefined
  /** Outputs that nothing can read any more after a step, by that step. */
  const waiting = new Map<string, { readonly id: string; readonly bytes: number }[]>()
  const readUntil = (id: string): { readonly id: string; readonly bytes: number }[] => {
    const list = waiting.get(id) ?? []
    waiting.set(id, list)
    return list
  }
  for (const [index, step] of steps.entries()) {
    // A step that was never begun leaves nothing behind.
    if (frame.cancellation.reason)
      return { results, attempts, failure: cancelledResult(frame, frame.path), keptBytes }
    const here = withNames(frame, { steps: results })
    const result = await runStep(step, frame.approvals ? inSequence(steps, index, here) : here)
    attempts += result.attempts
    results[step.id] = visibleResult(result, step)
    const bytes = bytesRead(result, step)
    if (bytes > 0) {
      keptBytes += bytes
      if (step.lastReader !== undefined) readUntil(step.lastReader).push({ id: step.id, bytes })
    }
    for (const { id, bytes } of waiting.get(step.id) ?? []) {
      results[id] = withoutOutputs(results[id])
      frame.memory.release(bytes)
      keptBytes -= bytes
    }
    if (isLeft(result, frame)) left ??= result
    else if (!continues(result)) return { results, attempts, failure: result, keptBytes }
  }
  return { results, attempts, keptBytes, ...(left ? { failure: left } : {}) }
}

/** The frame of a step that knows which steps come after it. */
function inSequence(steps: readonly StepPlan[], index: number, frame: Frame): Frame {
  return { ...frame, sequence: { steps, index, frame, outer: frame.sequence } }
}

/**
 * A write of clean-up with an unknown outcome, left by a user who cancelled the run. No person will resolve it, so the
 * remaining clean-up does not wait for that.
 */
function isLeft({ status, error }: StepResult, { isCleanUp, cancellation }: Frame): boolean {
  return isCleanUp === true && !cancellation.reason && status === 'cancelled' && error?.isSettled === true
}

function withoutOutputs({ outputs: _, ...rest }: JsonObject = {}): JsonObject {
  return rest
}
