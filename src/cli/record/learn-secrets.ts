import type { TimedRunEvent } from '../../core/events.ts'
import type { JsonValue } from '../../core/json.ts'
import type { Mask } from '../../core/mask/mask.ts'
import type { RunRecord } from '../../core/record/run-record.ts'
import { sensitiveValues } from '../../core/record/sensitive-values.ts'
import type { Engine } from '../../engine/engine.ts'
import { usesOf } from '../run/uses-of-plan.ts'

/** Hides all sensitive values in the answers of a run so far. */
export async function learnSecrets(run: RunRecord, engine: Engine, mask: Mask): Promise<void> {
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

/** Hides the sensitive values that the event of an attempt names. */
export function learnFromEvent(mask: Mask, event: TimedRunEvent): void {
  if (event.type === 'attempt_succeeded') for (const value of event.sensitive ?? []) mask.hide(value)
}
