import { formatDuration } from '../duration.ts'
import { evaluate, kindOf } from '../expressions/evaluate.ts'
import type { JsonValue } from '../json.ts'
import type { RepeatPlan } from '../plan.ts'
import { RunbookError } from '../run-error.ts'
import type { CalledResult } from './call.ts'
import { type Frame, sleepAtWork, withNames } from './frame.ts'
import { cancelledResult, type StepResult } from './step-result.ts'

/**
 * Calls again until something holds of the outputs. The first call has the path of the step, the others `/poll-2` and
 * so on. Times are those of the record, so that a run that is resumed waits no longer than it would have.
 */
export async function callUntil(
  path: string,
  repeat: RepeatPlan,
  call: (callPath: string) => Promise<CalledResult>,
  frame: Frame,
): Promise<StepResult> {
  const { host, cancellation } = frame
  let attempts = 0
  let firstMs: number | undefined
  for (let round = 1; ; round++) {
    const called = await call(round === 1 ? path : `${path}/poll-${round}`)
    const { startedAtMs, endedAtMs: recordedMs, ...result } = called
    // Never later than now, also where the clock has been set back since it was recorded.
    const endedAtMs = Math.min(recordedMs ?? Number.POSITIVE_INFINITY, host.now())
    attempts += result.attempts
    firstMs ??= Math.min(startedAtMs ?? endedAtMs, endedAtMs)
    if (result.status !== 'succeeded' || isMet(repeat, result.outputs ?? null, frame))
      return { ...result, attempts }
    const nextMs = endedAtMs + repeat.intervalMs
    if (nextMs > firstMs + repeat.maxWaitMs) return { ...result, ...givenUp(repeat, path), attempts }
    host.report({ type: 'waiting', path, reason: 'poll', until: nextMs })
    await sleepAtWork(nextMs, { path, reason: 'poll' }, frame, endedAtMs)
    if (cancellation.reason) return cancelledResult(frame, path, attempts)
  }
}

function isMet({ until }: RepeatPlan, outputs: JsonValue, frame: Frame): boolean {
  const value = evaluate(until, withNames(frame, { outputs }).scope)
  if (typeof value === 'boolean') return value
  throw new RunbookError(
    'ExpressionFailed',
    `"until" is ${kindOf(value)}, not true or false: "${until.source}"`,
  )
}

function givenUp({ until, maxWaitMs }: RepeatPlan, path: string): Pick<StepResult, 'status' | 'error'> {
  const message = `"${until.source}" did not come true within ${formatDuration(maxWaitMs)}`
  return { status: 'failed', error: { code: 'RepeatTimeout', message, path } }
}
