import type { TimedRunEvent } from '../../core/events.ts'
import type { JsonValue } from '../../core/json.ts'
import type { Mask } from '../../core/mask/mask.ts'
import type { RunRecord } from '../../core/record/run-record.ts'
import { sensitiveInputs } from '../../core/record/sensitive-inputs.ts'
import { sensitiveValues } from '../../core/record/sensitive-values.ts'
import type { Engine } from '../../engine/engine.ts'
import { usesOf } from '../run/uses-of-plan.ts'

/** Hides all sensitive values in the answers of a run so far, and its sensitive inputs. */
export async function learnSecrets(run: RunRecord, engine: Engine, mask: Mask): Promise<void> {
  hideSensitiveInputs(run, mask)
  const fieldsOf = new Map(
    usesOf(run.plan).map(({ action }) => [action.name, action.sensitiveOutput ?? []] as const),
  )
  if ([...fieldsOf.values()].every((fields) => fields.length === 0)) return
  for (const { action, output } of await engine.readAttempts(run.run_id))
    hideFields(mask, output, fieldsOf.get(action) ?? [])
}

/** Hides the values of the outputs at these fields, such as `items.*.client_token`. */
export function hideFields(mask: Mask, outputs: JsonValue | undefined, fields: readonly string[]): void {
  for (const value of sensitiveValues(outputs, fields)) mask.hide(value)
}

/** The values that an event names so that views hide them. */
export function sensitiveIn(event: TimedRunEvent): readonly string[] {
  return ('sensitive' in event ? event.sensitive : undefined) ?? []
}

/** Hides the inputs that the runbook marks as sensitive, those before a resume with others included. */
export function hideSensitiveInputs({ plan, inputs, resumes }: RunRecord, mask: Pick<Mask, 'hide'>): void {
  for (const given of [inputs, ...resumes.flatMap(({ inputs_before }) => inputs_before ?? [])])
    for (const value of sensitiveInputs(plan.inputs, given)) mask.hide(value)
}

/** Hides the sensitive values that an event names. */
export function learnFromEvent(mask: Pick<Mask, 'hide'>, event: TimedRunEvent): void {
  for (const value of sensitiveIn(event)) mask.hide(value)
}
