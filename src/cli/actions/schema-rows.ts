import { isJsonObject, type JsonSchema } from '../../core/json.ts'

/** One field of a schema, for a table. */
export interface SchemaRow {
  /** A path with `[]` for items and `*` for any name: `tools[].params`. */
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
  /** What each of the values means, if the schema describes them. */
  readonly meanings: readonly (readonly [value: string, meaning: string])[]
}

const deepest = 4

/** Every field of an object schema, each followed by the fields inside it. */
export function schemaRows(schema: JsonSchema, prefix = '', depth = 0): readonly SchemaRow[] {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>)
  const required = (schema['required'] ?? []) as readonly string[]
  return properties.flatMap(([key, property]) => {
    const name = prefix + key
    const row = {
      name,
      type: typeText(property),
      isRequired: required.includes(key),
      description: descriptionOf(property),
      meanings: meaningsOf(property),
    }
    return depth >= deepest ? [row] : [row, ...rowsInside(property, name, depth + 1)]
  })
}

function rowsInside(schema: JsonSchema, name: string, depth: number): readonly SchemaRow[] {
  const { items, additionalProperties: others } = schema
  if (isJsonObject(items)) return schemaRows(items, `${name}[].`, depth)
  const inside = schemaRows(schema, `${name}.`, depth)
  return isJsonObject(others) ? [...inside, ...schemaRows(others, `${name}.*.`, depth)] : inside
}

/** The kind of value, in words. */
export function typeText(schema: JsonSchema): string {
  const { type, items, minLength, maxLength, format } = schema
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
const widestValues = 40

function valuesText(schema: JsonSchema): string | undefined {
  const values = (schema['enum'] ?? schema['knownValues']) as readonly unknown[] | undefined
  return values?.map((value) => (value === '' ? '""' : String(value))).join(' | ')
}

function meaningsOf({ enum: values, enumDescriptions }: JsonSchema): SchemaRow['meanings'] {
  if (!Array.isArray(values) || !Array.isArray(enumDescriptions)) return []
  return values.map((value, index) => [String(value), String(enumDescriptions[index] ?? '')] as const)
}

function descriptionOf(schema: JsonSchema): string {
  const { description = '', default: otherwise, items } = schema
  const values = valuesText((items ?? schema) as JsonSchema)
  const isPlain = otherwise !== undefined && typeof otherwise !== 'object'
  return [
    String(description),
    ...(values !== undefined && values.length > widestValues ? [`One of: ${values}.`] : []),
    ...(isPlain ? [`Default: ${String(otherwise)}.`] : []),
  ]
    .join(' ')
    .trim()
}
