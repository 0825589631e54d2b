import { render } from '../expressions/render.ts'
import { isWellFormed, type JsonObject } from '../json.ts'
import type { Plan } from '../plan/plan.ts'
import { RunbookError, refused } from '../run-error.ts'
import type { PlaceInLine } from './run-record.ts'

/** What a runbook says of its runs at the same time, with the inputs of one of them. */
export interface Concurrency {
  readonly key: string
  /** At most this many runs of the runbook are active for it. */
  readonly limit: number
  /** What a further start does. */
  readonly onConflict: NonNullable<Plan['concurrency']>['onConflict']
}

/**
 * The concurrency key of a run; undefined where the number of its runs is not limited. Runbooks that steps run have no
 * key of their own. Throws `InvalidInput` where the key cannot be computed from these inputs.
 */
export function concurrencyOf(
  { concurrency, name }: Plan,
  inputs: JsonObject,
  run: { readonly id: string; readonly started_at: string },
): Concurrency | undefined {
  if (!concurrency) return undefined
  const scope = { inputs, run: { id: run.id, name, started_at: run.started_at } }
  try {
    const value = render(concurrency.key, scope)
    const key = typeof value === 'string' ? value : JSON.stringify(value)
    if (!isWellFormed(key)) throw new RunbookError('InvalidInput', 'it is not well-formed Unicode')
    const { limit, onConflict } = concurrency
    return { key, limit, onConflict }
  } catch (cause) {
    if (!RunbookError.is(cause)) throw cause
    const message = `concurrency.key: ${cause.message}; nothing was started`
    throw new RunbookError('InvalidInput', message, { notSent: true, cause })
  }
}

/** What a start says that joins the run with the same key. */
export function joinText(runId: string, key: string): string {
  return `joins ${runId}, which runs with the same concurrency key ${JSON.stringify(key)}`
}

/** What a start says that waits in line. */
export function waitingText({ key, limit, before }: Pick<PlaceInLine, 'key' | 'limit' | 'before'>): string {
  const runs = limit === 1 ? 'one run at a time has' : `${limit} runs at a time have`
  return `waits in line: ${runs} the concurrency key ${JSON.stringify(key)}; before it: ${beforeText(before)}`
}

/** How many ids of runs a sentence names. */
const mostNamed = 5

/** The runs before another one, the first by their ids. */
export function beforeText(before: readonly string[]): string {
  const left = before.length - mostNamed
  return `${before.slice(0, mostNamed).join(', ')}${left > 0 ? ` and ${left} more` : ''}`
}

/** Why an automatic start does not start a run. */
export function heldText(key: string): string {
  return `a run for the concurrency key ${JSON.stringify(key)} is still running`
}

/** Another run of the runbook has the same key. */
export function concurrencyConflict(runId: string, runbook: string, key: string): RunbookError {
  const message = `${runId} is still running, a run of ${runbook} for the same concurrency key ${JSON.stringify(key)}; nothing was started`
  return new RunbookError('ConcurrencyConflict', message, {
    notSent: true,
    next: `Wait for its end, "opsbook watch ${runId}", or end it: "opsbook cancel ${runId}".`,
    details: { run_id: runId, key },
  })
}

/**
 * A start asks to join a run with the same key that does something else. `runbook`: that of the other run, where it
 * differs; left out: only its inputs differ.
 */
export function keyTaken(key: string | undefined, runId: string, runbook?: string): RunbookError {
  const what = runbook === undefined ? 'with other inputs' : `of the runbook ${runbook}`
  return refused(`the key ${JSON.stringify(key)} belongs to ${runId}, a run ${what}; choose another one`)
}
