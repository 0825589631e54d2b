import { formatDuration } from '../duration.ts'
import { render } from '../expressions/render.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import type { Plan } from '../plan.ts'
import { runCatch } from './catch.ts'
import { runFinally } from './finally.ts'
import { type Frame, withNames } from './frame.ts'
import { runSequence, type SequenceResult } from './sequence.ts'
import { caughtResult, type StepResult } from './step-result.ts'
import { runWithin, type TimeLimit } from './time-limit.ts'

/** Runs a whole runbook, that of the run or one that a step runs: its steps, its catch, its outputs, its finally. */
export async function runDocument(plan: Plan, frame: Frame): Promise<StepResult> {
  let keptBytes = 0
  const worked = await runWithin(timeLimit(plan, frame.path), frame, async (within) => {
    const sequence = await runSequence(plan.steps, within)
    keptBytes = sequence.keptBytes
    return toResult(sequence)
  })
  const caught = await runCatch(plan.catch, worked, frame)
  const ended = caught === worked ? withOutputs(plan, worked, frame) : caught
  const run: JsonObject = isJsonObject(frame.scope['run']) ? frame.scope['run'] : {}
  const after = withNames(frame, { steps: ended.inner ?? {}, run: { ...run, outcome: ended.status } })
  const cleaned = await runFinally(plan.finally, ended, after)
  frame.memory.release(keptBytes)
  return cleaned
}

function timeLimit({ timeoutMs }: Plan, path: string): TimeLimit | undefined {
  if (timeoutMs === undefined) return undefined
  const message = `worked longer than its timeout of ${formatDuration(timeoutMs)}`
  return { limitMs: timeoutMs, path, error: { code: 'RunTimeout', message, path } }
}

function toResult({ results, attempts, failure }: SequenceResult): StepResult {
  if (!failure) return { status: 'succeeded', attempts, inner: results }
  const { status, error } = failure
  return { status, attempts, inner: results, ...(error ? { error } : {}) }
}

function withOutputs(plan: Plan, result: StepResult, frame: Frame): StepResult {
  if (plan.outputs === undefined || result.status !== 'succeeded') return result
  try {
    return { ...result, outputs: render(plan.outputs, withNames(frame, { steps: result.inner ?? {} }).scope) }
  } catch (thrown) {
    const failed = caughtResult(thrown, frame, frame.path)
    return { ...failed, attempts: result.attempts, ...(result.inner ? { inner: result.inner } : {}) }
  }
}
