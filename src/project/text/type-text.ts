import type { JsonSchema } from '../../core/json.ts'

/** The kind of value, in words. */
export function typeText(schema: JsonSchema): string {
  const { type, items, minLength, format } = schema
  const maxLength = schema['maxLength'] ?? schema['knownMaxLength']
  const values = valuesText(schema)
  if (values !== undefined && values.length <= widestValues) return values
  if (Array.isArray(type)) return type.map((one) => typeText({ type: one })).join(' or ')
  if (type === 'array') return items ? `list of ${typeText(items as JsonSchema)}` : 'list'
  if (type === 'string') {
    if (format === 'duration') return 'duration'
    if (maxLength === undefined) return 'text'
    return minLength === undefined || minLength === 0
      ? `text, at most ${maxLength}`
      : `text, ${minLength} to ${maxLength}`
  }
  const names: Readonly<Record<string, string>> = {
    object: 'map',
    integer: 'whole number',
    number: 'number',
    boolean: 'true or false',
    null: 'null',
  }
  return names[String(type)] ?? 'anything'
}

/** Longer lists of values are part of the description, since they would push it off the screen. */
export const widestValues = 40

/** The values that a schema lists, in words. Undefined: it lists none. */
export function valuesText(schema: JsonSchema): string | undefined {
  const values = (schema['enum'] ?? schema['knownValues']) as readonly unknown[] | undefined
  return values?.map((value) => (value === '' ? '""' : String(value))).join(' | ')
}
