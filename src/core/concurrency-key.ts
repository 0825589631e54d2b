import { render } from './expressions/render.ts'
import type { RunFacts } from './interpret.ts'
import type { JsonObject } from './json.ts'
import type { Plan } from './plan.ts'
import { RunbookError } from './run-error.ts'
import { isWellFormed } from './well-formed.ts'

/** What a runbook says of its runs at the same time, with the inputs of one of them. */
export interface Concurrency {
  /** At most one run of the runbook goes on for it. */
  readonly key: string
  /** What a second start does. */
  readonly onConflict: NonNullable<Plan['concurrency']>['onConflict']
}

/**
 * The concurrency key of a run; undefined where any number of its runbook may go on. Runbooks that steps run have none of
 * their own. Throws `InvalidInput` where the key cannot be made of these inputs.
 */
export function concurrencyOf(
  { concurrency, name }: Plan,
  inputs: JsonObject,
  run: RunFacts,
): Concurrency | undefined {
  if (!concurrency) return undefined
  const scope = { inputs, run: { id: run.id, name, started_at: run.started_at } }
  try {
    const value = render(concurrency.key, scope)
    const key = typeof value === 'string' ? value : JSON.stringify(value)
    if (!isWellFormed(key)) throw new RunbookError('InvalidInput', 'it is not well-formed Unicode')
    return { key, onConflict: concurrency.onConflict }
  } catch (cause) {
    if (!RunbookError.is(cause)) throw cause
    const message = `concurrency.key: ${cause.message}; nothing was started`
    throw new RunbookError('InvalidInput', message, { notSent: true, cause })
  }
}

/** A run of the same runbook goes on for the same key. */
export function concurrencyConflict(runId: string, runbook: string, key: string): RunbookError {
  const message = `${runId} goes on, a run of ${runbook} for the same concurrency key ${JSON.stringify(key)}; nothing was started`
  return new RunbookError('ConcurrencyConflict', message, {
    notSent: true,
    next: `Wait for its end, "opsbook watch ${runId}", or end it: "opsbook cancel ${runId}".`,
    details: { run_id: runId, key },
  })
}
