import { render } from '../expressions/render.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { Plan } from '../plan/plan.ts'
import { settleWith } from '../plan/settings.ts'
import { endPath } from '../plan/step-address.ts'
import { formatDuration } from '../times/duration.ts'
import { runFinally } from './finally.ts'
import { type Frame, withNames } from './frame.ts'
import { runSequence, type SequenceResult } from './sequence.ts'
import { caughtResult, type StepResult, visibleError } from './step-result.ts'
import { runWithin, type TimeLimit } from './time-limit.ts'

/** Runs a whole runbook, that of the run or one that a step runs: its steps, its outputs, its finally. */
export async function runDocument(given: Plan, around: Frame): Promise<StepResult> {
  const frame = around.approvals ? { ...around, document: around.path } : around
  const { inputs } = frame.scope
  const plan = settleWith(given, isJsonObject(inputs) ? inputs : {})
  let keptBytes = 0
  const worked = await runWithin(timeLimit(plan, frame.path), frame, async (within) => {
    const sequence = await runSequence(plan.steps, within)
    keptBytes = sequence.keptBytes
    return toResult(sequence)
  })
  const ended = withOutputs(plan, worked, frame)
  const run = plan.finally && { run: await endedRun(plan, ended, frame) }
  const cleaned = await runFinally(
    plan.finally,
    ended,
    withNames(frame, { steps: ended.inner ?? {}, ...run }),
  )
  frame.memory.release(keptBytes)
  return cleaned
}

/** What the `finally` of a runbook sees as `run`. */
async function endedRun(
  plan: Plan,
  { status, error, inner = {} }: StepResult,
  frame: Frame,
): Promise<JsonObject> {
  const run: JsonObject = isJsonObject(frame.scope['run']) ? frame.scope['run'] : {}
  const failed = plan.steps.filter(({ id }) => {
    const step = inner[id]
    return isJsonObject(step) && (step['status'] === 'failed' || step['status'] === 'unknown')
  })
  const endedMs = plan.measuresTime && (await frame.host.firstReachedAt(endPath(frame.path)))
  return {
    ...run,
    outcome: status,
    ...(error === undefined ? {} : { error: visibleError(error) }),
    failed_steps: failed.map(({ id }) => id),
    ...(typeof endedMs === 'number' ? { took_seconds: secondsSince(run['started_at'], endedMs) } : {}),
  }
}

function secondsSince(startedAt: JsonValue | undefined, endedMs: number): number {
  // biome-ignore lint/style/noRestrictedGlobals: reads a text, and no clock
  return Math.max(0, Math.round((endedMs - Date.parse(String(startedAt))) / 1000))
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
