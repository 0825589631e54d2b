import type { JsonSchema, JsonValue } from '../../core/json.ts'
import type { KeywordProblem } from './check-keyword.ts'
import { schemaTypes } from './vocabulary.ts'

/** The least and the most of one thing: with the least above the most, no value fits. */
const bounds: readonly (readonly [least: string, most: string])[] = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
]

/** Why no value fits a schema, as far as its own keywords say so, and the keyword. */
export function whyImpossible(
  schema: JsonSchema,
): { readonly keyword: string; readonly problem: KeywordProblem } | undefined {
  const impossible = (keyword: string, message: string) => ({
    keyword,
    problem: { code: 'INVALID_SCHEMA', message: `no value fits: ${message}` } as const,
  })
  for (const [least, most] of bounds) {
    const [from, to] = [schema[least], schema[most]]
    if (typeof from === 'number' && typeof to === 'number' && from > to)
      return impossible(least, `"${least}" is ${from}, and "${most}" is ${to}`)
  }
  const { type, enum: listed } = schema
  const types = type === undefined ? [] : [type].flat()
  const isKnown = types.every((one) => (schemaTypes as readonly unknown[]).includes(one))
  if (types.length === 0 || !isKnown) return undefined
  const isOfType = (value: JsonValue): boolean => types.some((one) => isA(value, String(one)))
  if (Array.isArray(listed) && listed.length > 0 && !listed.some(isOfType))
    return impossible('enum', `none of these is of the type ${types.join(' or ')}`)
  const { const: only } = schema
  if (only !== undefined && !isOfType(only as JsonValue))
    return impossible('const', `it is not of the type ${types.join(' or ')}`)
  return undefined
}

function isA(value: JsonValue, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}
