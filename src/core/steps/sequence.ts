import type { Scope } from '../expressions/evaluate.ts'
import type { Host } from '../host.ts'
import type { JsonObject } from '../json.ts'
import type { StepPlan } from '../plan.ts'
import { runStep, type StepResult } from './step.ts'

/** What a sequence came to: what later expressions see as `steps`, and the failure that ended it early. */
export interface SequenceResult {
  readonly results: JsonObject
  readonly failure?: StepResult
}

/** Runs steps one after another until one fails. */
export async function runSequence(
  steps: readonly StepPlan[],
  scope: Scope,
  host: Host,
): Promise<SequenceResult> {
  const results: Record<string, JsonObject> = {}
  for (const step of steps) {
    const result = await runStep(step, { ...scope, steps: results }, host)
    results[step.id] = visibleResult(result)
    if (result.status !== 'succeeded' && result.status !== 'skipped') return { results, failure: result }
  }
  return { results }
}

/** `steps.<id>` as expressions see it. */
function visibleResult({ status, attempts, outputs, error }: StepResult): JsonObject {
  return {
    status,
    attempts,
    ...(outputs === undefined ? {} : { outputs }),
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
  }
}
