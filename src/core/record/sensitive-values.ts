import type { ActionDescription } from '../action.ts'
import { isJsonObject, type JsonValue } from '../json.ts'

/** Every text and number that outputs hold at these fields, such as `items.*.client_token`: what is not to be shown. */
export function sensitiveValues(
  outputs: JsonValue | undefined,
  fields: readonly string[],
): readonly string[] {
  return fields.flatMap((field) => valuesAt(outputs, field.split('.')))
}

/** The fields of an action's outputs that views mask. */
export type SensitiveFields = Pick<ActionDescription, 'sensitiveOutput'>

/** The sensitive values of an answer, as the event of its attempt holds them for views to mask. */
export function sensitiveFacts(
  output: JsonValue,
  { sensitiveOutput = [] }: SensitiveFields = {},
): { readonly sensitive?: readonly string[] } {
  const sensitive = [...new Set(sensitiveValues(output, sensitiveOutput))]
  return sensitive.length === 0 ? {} : { sensitive }
}

/** Every text and number at or under a field; `*` stands for any key or position. */
function valuesAt(value: JsonValue | undefined, field: readonly string[]): readonly string[] {
  if (value === undefined || value === null || typeof value === 'boolean') return []
  if (typeof value === 'string') return field.length === 0 ? [value] : []
  if (typeof value === 'number') return field.length === 0 ? [String(value)] : []
  const [first, ...rest] = field
  if (Array.isArray(value) || isJsonObject(value)) {
    const entries = Object.entries(value)
    if (first === undefined) return entries.flatMap(([, item]) => valuesAt(item, []))
    return entries.flatMap(([key, item]) => (first === '*' || first === key ? valuesAt(item, rest) : []))
  }
  return []
}
