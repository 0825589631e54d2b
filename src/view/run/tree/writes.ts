import type { JsonValue } from '../../../core/json.ts'
import { stepAddressOfCall, withoutPositions } from '../../../core/plan/index.ts'
import type { RunFacts } from './run-facts.ts'
import { enclosingPaths } from './step-paths.ts'
import type { CreatedOutputs, StepView } from './step-view.ts'
import type { StepEvent } from './take-step-event.ts'

/** What a run has written, as far as its events tell. */
export interface Writes {
  /** The actions of writes, by the paths of their steps or items, in the order of their first calls. */
  readonly written: Map<string, string>
  /** Those of them that were answered. */
  readonly succeeded: Set<string>
  /** The outputs of creates, by the paths of their calls or steps. */
  readonly made: Map<string, CreatedOutputs>
  maybeUndone?: string
}

const mostKept = 1000

export function noWrites(): Writes {
  return { written: new Map(), succeeded: new Set(), made: new Map() }
}

/** Takes an event of a step, after the view of the step has. */
export function takeWrite(writes: Writes, facts: Partial<RunFacts>, step: StepView, event: StepEvent): void {
  const { written, succeeded, made } = writes
  const address = stepAddressOfCall(event.path)
  if (event.type === 'attempt_started' && facts.writes?.(address, event.action) && written.size < mostKept)
    written.set(address, event.action)
  if (event.type === 'attempt_succeeded' && written.has(address)) succeeded.add(address)
  if (
    event.type === 'step_finished' &&
    event.status !== 'skipped' &&
    facts.cleansUp?.(step.path, step.action)
  ) {
    const first = firstWriteBefore(step.path, writes, facts)
    if (first !== undefined) writes.maybeUndone ??= first
  }
  const outputs = madeBy(writes, facts, step, event)
  if (outputs !== undefined && (made.has(event.path) || made.size < mostKept))
    made.set(event.path, { path: event.path, outputs })
}

/** What a create made before the end: in a loop from each call, elsewhere from the end of the step. */
function madeBy(
  { written }: Writes,
  { creates, isAfterwards }: Partial<RunFacts>,
  step: StepView,
  event: StepEvent,
): JsonValue | undefined {
  const address = stepAddressOfCall(event.path)
  // What a resume reuses has not been written in this view.
  if (isAfterwards?.(address, written.get(address) ?? step.action)) return undefined
  if (event.type === 'attempt_succeeded') return event.made
  const isEnd = event.type === 'step_finished' && !event.path.includes('[') && !step.progress
  return isEnd && creates?.(step.path, step.action) ? event.outputs : undefined
}

/** The first write that has succeeded, but for those of the same clean-up. */
function firstWriteBefore(
  path: string,
  { written, succeeded }: Writes,
  { creates, isAfterwards, cleansUp }: Partial<RunFacts>,
): string | undefined {
  return [...written].find(
    ([address, action]) =>
      succeeded.has(address) &&
      address !== path &&
      !isAfterwards?.(address, action) &&
      (creates?.(address, action) || !cleansUp?.(address, action)),
  )?.[0]
}

/** The steps that have created something at an end that is still to come: neither they nor a step around them succeeded. */
export function madeAtEnd(
  { written, succeeded }: Writes,
  { createsAtEndOf }: Partial<RunFacts>,
  hasSucceeded: (path: string) => boolean,
): readonly string[] {
  const found = [...written].filter(([address, action]) => {
    const end = succeeded.has(address) ? createsAtEndOf?.(address, action) : undefined
    return end !== undefined && !enclosingPaths(end).some(hasSucceeded)
  })
  return [...new Set(found.map(([address]) => withoutPositions(address)))]
}
