import { isJsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts'

/** Deeper parts of a schema are not said: what they hold can be anything. */
const mostLevels = 12
/** A schema with more parts is said less deeply: it could hold a thousand times what its document does. */
const mostParts = 1_000
/** A deeper value of `enum`, `const` or `default` is left out. */
const mostValueLevels = 20

/** What a reference within the document leads to; undefined for one that leads out of it. */
export type Resolve = (reference: string) => JsonValue | undefined

/**
 * A schema of OpenAPI 3.0 or 3.1 in the words that checks, editors and expressions know. What refers to itself, what
 * leads out of the document, and what is too deep, can be anything. In a request, fields that only answers have are
 * left out.
 */
export function toJsonSchema(
  schema: JsonValue,
  direction: 'request' | 'answer' = 'answer',
  resolve: Resolve = () => undefined,
): JsonSchema {
  let said: JsonSchema = {}
  for (let levels = 1; levels <= mostLevels; levels++) {
    const conversion = { direction, resolve, levels, parts: 0, isCut: false }
    const converted = convert(schema, conversion, [])
    // One level is said in any case: it is no larger than the document.
    if (conversion.parts > mostParts && levels > 1) return said
    if (!conversion.isCut) return converted
    said = converted
  }
  return said
}

interface Conversion {
  readonly direction: 'request' | 'answer'
  readonly resolve: Resolve
  readonly levels: number
  /** How many it has so far. */
  parts: number
  /** It has deeper levels. */
  isCut: boolean
}

function convert(written: JsonValue, conversion: Conversion, holders: readonly unknown[]): JsonSchema {
  const { direction, resolve, levels } = conversion
  const target = targetOf(written, resolve)
  if (!isJsonObject(written) || !isJsonObject(target)) return {}
  if (holders.includes(target)) return {}
  if (holders.length >= levels) {
    conversion.isCut = true
    return {}
  }
  conversion.parts++
  if (conversion.parts > mostParts && levels > 1) return {}
  const inside = [...holders, target]
  const one = (value: JsonValue): JsonSchema => convert(value, conversion, inside)
  const isHere = (field: JsonValue | undefined): boolean => !isLeftOut(targetOf(field, resolve), direction)
  // In 3.1 there can be more beside a reference.
  const schema = target === written ? target : { ...target, ...written }
  const entries = Object.entries(schema).flatMap(
    ([keyword, value]): readonly (readonly [string, unknown])[] => {
      if (plain.has(keyword)) return isFlat(value, mostValueLevels) ? [[keyword, value]] : []
      if (keyword === 'properties' && isJsonObject(value)) return [[keyword, fieldsOf(value, isHere, one)]]
      if (keyword === 'additionalProperties' || keyword === 'items' || keyword === 'not')
        return [[keyword, typeof value === 'boolean' ? value : one(value)]]
      if ((keyword === 'allOf' || keyword === 'anyOf' || keyword === 'oneOf') && Array.isArray(value))
        return value.length === 0 ? [] : [[keyword, value.map(one)]]
      if (keyword === 'required' && Array.isArray(value))
        return [[keyword, requiredOf(value, schema, isHere)]]
      return bounds.has(keyword) && typeof value === 'number' ? [[keyword, value]] : []
    },
  )
  return withNull(Object.fromEntries(entries) as JsonSchema, schema['nullable'] === true)
}

function targetOf(value: JsonValue | undefined, resolve: Resolve): JsonValue | undefined {
  const reference = isJsonObject(value) ? value['$ref'] : undefined
  return typeof reference === 'string' ? resolve(reference) : value
}

function isFlat(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((item) => isFlat(item, levels - 1))
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
  isHere: (field: JsonValue) => boolean,
  one: (value: JsonValue) => JsonSchema,
): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([, value]) => isHere(value))
      .map(([name, value]) => [name, one(value)]),
  )
}

function isLeftOut(field: JsonValue | undefined, direction: 'request' | 'answer'): boolean {
  return isJsonObject(field) && field[direction === 'request' ? 'readOnly' : 'writeOnly'] === true
}

function requiredOf(
  names: readonly JsonValue[],
  { properties }: Readonly<Record<string, JsonValue | undefined>>,
  isHere: (field: JsonValue | undefined) => boolean,
): readonly JsonValue[] {
  const fields = isJsonObject(properties) ? properties : {}
  return names.filter((name) =>
    isHere(Object.hasOwn(fields, String(name)) ? fields[String(name)] : undefined),
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
