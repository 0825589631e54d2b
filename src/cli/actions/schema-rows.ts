import { isJsonObject, type JsonSchema } from '../../core/json.ts'
import { typeText, valuesText, widestValues } from '../../project/text/index.ts'

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
