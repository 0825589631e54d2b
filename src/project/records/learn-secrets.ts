import type { TimedRunEvent } from '../../core/events.ts'
import { callbackNames } from '../../core/hooks/index.ts'
import type { JsonValue } from '../../core/json.ts'
import { createMask, type Mask } from '../../core/mask/index.ts'
import {
  canBeSensitive,
  createPlanIndex,
  plannedAction,
  type RunRecord,
  sensitiveInputs,
  sensitiveValues,
} from '../../core/record/index.ts'
import type { Engine } from '../../engine/index.ts'
import { usesOf } from '../actions/uses-of-plan.ts'

/** A mask for all that {@link learnSecrets} finds in a run. */
export async function maskOf(run: RunRecord, engine: Engine): Promise<Mask> {
  const mask = createMask()
  await learnSecrets(run, engine, mask)
  return mask
}

/** Masks the sensitive inputs of a run, and the sensitive values in its answers so far. */
export async function learnSecrets(run: RunRecord, engine: Engine, mask: Pick<Mask, 'hide'>): Promise<void> {
  await hideSensitiveInputs(run, engine, mask)
  // An attempt of a step that a resume has removed is masked as the other steps of its action are.
  const fieldsOf = new Map<string, string[]>()
  for (const { action } of usesOf(run.plan)) {
    if (action.sensitiveOutput === undefined) continue
    fieldsOf.set(action.name, [...(fieldsOf.get(action.name) ?? []), ...action.sensitiveOutput])
  }
  if (fieldsOf.size === 0) return
  const index = createPlanIndex(run.plan)
  for (const { path, action, output } of await engine.readAttempts(run.run_id)) {
    const planned = plannedAction(index, { path, action })
    hideFields(mask, output, (planned ? planned.sensitiveOutput : fieldsOf.get(action)) ?? [])
  }
  if (![...fieldsOf.keys()].some((name) => name.startsWith('core/'))) return
  for (const { event } of await engine.readEvents(run.run_id))
    if (event.type === 'outputs_hidden') learnFromEvent(mask, event)
}

/** Masks the values of outputs at these fields, such as `items.*.client_token`. */
export function hideFields(
  mask: Pick<Mask, 'hide'>,
  outputs: JsonValue | undefined,
  fields: readonly string[],
): void {
  for (const value of sensitiveValues(outputs, fields)) mask.hide(value)
}

/** The sensitive values that an event lists. */
export function sensitiveIn(event: TimedRunEvent): readonly string[] {
  return ('sensitive' in event ? event.sensitive : undefined) ?? []
}

/** Masks the inputs that the runbook and its child runbooks mark as sensitive, also those from before a resume, and the tokens of callbacks. */
export async function hideSensitiveInputs(
  { run_id, plan, inputs, resumes }: RunRecord,
  engine: Engine,
  mask: Pick<Mask, 'hide'>,
): Promise<void> {
  for (const given of [inputs, ...resumes.flatMap(({ inputs_before }) => inputs_before ?? [])])
    for (const value of sensitiveInputs(plan.inputs, given)) mask.hide(value)
  const hasSensitiveChild = Object.values(plan.children ?? {}).some((child) => canBeSensitive(child.inputs))
  // The events hold the tokens of callbacks, too.
  if (!hasSensitiveChild && callbackNames(plan).length === 0) return
  for (const { event } of await engine.readEvents(run_id)) if (isOfInputs(event)) learnFromEvent(mask, event)
}

/** Whether the sensitive values of an event are inputs, which no flag reveals. */
export function isOfInputs({ type }: TimedRunEvent): boolean {
  return type === 'run_started' || type === 'inputs_hidden'
}

/** Masks the sensitive values that an event lists. */
export function learnFromEvent(mask: Pick<Mask, 'hide'>, event: TimedRunEvent): void {
  for (const value of sensitiveIn(event)) mask.hide(value)
}
