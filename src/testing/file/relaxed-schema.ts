import { isJsonObject, type JsonSchema } from '../../core/json.ts'

/**
 * The schema of a part of a value: nothing is required, and a map takes no key that its schema does not name. So a script
 * can leave fields out, and a misspelled field is found.
 */
export function relaxedSchema(schema: JsonSchema): JsonSchema {
  const { required: _required, ...rest } = schema
  const isClosed = rest['properties'] !== undefined && !('additionalProperties' in rest)
  return Object.fromEntries([
    ...Object.entries(rest).map(([key, value]) => [key, relaxedKeyword(key, value)] as const),
    ...(isClosed ? [['additionalProperties', false] as const] : []),
  ])
}

function relaxedKeyword(key: string, value: unknown): unknown {
  if (key === 'properties' && isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, relaxed(inner)]))
  if (key === 'items' || key === 'additionalProperties') return relaxed(value)
  if ((key === 'anyOf' || key === 'oneOf' || key === 'allOf') && Array.isArray(value))
    return value.map(relaxed)
  return value
}

function relaxed(value: unknown): unknown {
  return isJsonObject(value) ? relaxedSchema(value) : value
}
