import { isJsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts'

/** Deeper parts of a schema are not said: what they hold can be anything. */
const mostLevels = 12

/**
 * A schema of OpenAPI 3.0 or 3.1 in the words that checks, editors and expressions know. What refers to itself, and
 * what is too deep, can be anything. In a request, fields that only answers have are left out.
 */
export function toJsonSchema(schema: JsonValue, direction: 'request' | 'answer' = 'answer'): JsonSchema {
  return convert(schema, direction, [])
}

function convert(
  schema: JsonValue,
  direction: 'request' | 'answer',
  holders: readonly unknown[],
): JsonSchema {
  if (!isJsonObject(schema) || holders.includes(schema) || holders.length >= mostLevels) return {}
  if (typeof schema['$ref'] === 'string') return {}
  const inside = [...holders, schema]
  const one = (value: JsonValue): JsonSchema => convert(value, direction, inside)
  const entries = Object.entries(schema).flatMap(
    ([keyword, value]): readonly (readonly [string, unknown])[] => {
      if (plain.has(keyword)) return [[keyword, value]]
      if (keyword === 'properties' && isJsonObject(value)) return [[keyword, fieldsOf(value, direction, one)]]
      if (keyword === 'additionalProperties' || keyword === 'items' || keyword === 'not')
        return [[keyword, typeof value === 'boolean' ? value : one(value)]]
      if ((keyword === 'allOf' || keyword === 'anyOf' || keyword === 'oneOf') && Array.isArray(value))
        return value.length === 0 ? [] : [[keyword, value.map(one)]]
      if (keyword === 'required' && Array.isArray(value))
        return [[keyword, requiredOf(value, schema, direction)]]
      return bounds.has(keyword) && typeof value === 'number' ? [[keyword, value]] : []
    },
  )
  return withNull(Object.fromEntries(entries) as JsonSchema, schema['nullable'] === true)
}

/** Keywords that mean the same. Patterns and formats are left to the server. */
const plain: ReadonlySet<string> = new Set([
  'type',
  'title',
  'description',
  'default',
  'enum',
  'const',
  'deprecated',
  'uniqueItems',
])
const bounds: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
])

function fieldsOf(
  properties: Readonly<Record<string, JsonValue>>,
  direction: 'request' | 'answer',
  one: (value: JsonValue) => JsonSchema,
): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([, value]) => !isLeftOut(value, direction))
      .map(([name, value]) => [name, one(value)]),
  )
}

function isLeftOut(field: JsonValue | undefined, direction: 'request' | 'answer'): boolean {
  return isJsonObject(field) && field[direction === 'request' ? 'readOnly' : 'writeOnly'] === true
}

function requiredOf(
  names: readonly JsonValue[],
  schema: Readonly<Record<string, JsonValue | undefined>>,
  direction: 'request' | 'answer',
): readonly JsonValue[] {
  const { properties } = schema
  return names.filter(
    (name) => !isLeftOut(isJsonObject(properties) ? properties[String(name)] : undefined, direction),
  )
}

/** `nullable` of 3.0 is a type of 3.1. */
function withNull(schema: JsonSchema, isNullable: boolean): JsonSchema {
  if (!isNullable || schema['type'] === undefined) return schema
  const values = schema['enum']
  return {
    ...schema,
    type: [...new Set([schema['type'], 'null'].flat())],
    ...(Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}),
  } as JsonSchema
}
