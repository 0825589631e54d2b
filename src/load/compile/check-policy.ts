import type { ActionDescription } from '../../core/action.ts'
import { isJsonObject, type JsonPath, type JsonValue } from '../../core/json.ts'
import { expressionPaths } from '../expressions/segments.ts'
import type { Source } from '../source.ts'

/** Who may answer is part of the plan: `plan` shows it, and no value of a run changes it. */
export function checkPolicy(
  source: Source,
  { name }: ActionDescription,
  values: unknown,
  path: JsonPath,
): void {
  if (name !== 'core/ask' && name !== 'core/approve') return
  const from = isJsonObject(values) ? values['from'] : undefined
  const at = [...path, 'from']
  for (const place of expressionPaths((from ?? null) as JsonValue, at)) {
    const message = 'who may answer is written out: no value of a run decides it'
    source.add('EXPRESSION_NOT_ALLOWED', place, message)
  }
}
