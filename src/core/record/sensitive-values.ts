import type { ActionDescription } from '../action.ts'
import { isJsonObject, type JsonSchema, type JsonValue, partAt } from '../json.ts'

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
  if (sensitiveOutput.length === 0) return {}
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

type Path = readonly (string | number)[]

/** A schema that refers to itself ends with the value; this ends one that refers to itself without going deeper. */
const mostReferences = 100

/** Every text and number that the inputs hold where the schema says that they are sensitive. */
export function sensitiveInputs(schema: JsonSchema | undefined, inputs: JsonValue): readonly string[] {
  const found = new Set<string>()
  visitSensitive(schema, inputs, (value) => {
    // The value itself, and all that is under it.
    for (const one of sensitiveValues({ value }, ['value'])) found.add(one)
  })
  return [...found]
}

/** Where in the inputs something sensitive is. */
export function sensitivePaths(schema: JsonSchema | undefined, inputs: JsonValue): readonly Path[] {
  const found: Path[] = []
  visitSensitive(schema, inputs, (_, path) => found.push(path))
  return found
}

/**
 * Visits what the inputs hold where their schema has `writeOnly: true` or `format: password`. In an alternative of the
 * schema the value counts whether the alternative fits or not.
 */
function visitSensitive(
  schema: JsonSchema | undefined,
  inputs: JsonValue,
  take: (value: JsonValue, path: Path) => void,
): void {
  if (!schema) return
  const visit = (
    part: JsonValue | undefined,
    value: JsonValue | undefined,
    references: number,
    path: Path,
  ): void => {
    if (!isJsonObject(part) || value === undefined) return
    if (part['writeOnly'] === true || part['format'] === 'password') {
      take(value, path)
      return
    }
    const reference = part['$ref']
    if (typeof reference === 'string' && references < mostReferences)
      visit(partAt(schema, reference), value, references + 1, path)
    for (const key of ['if', 'then', 'else']) visit(part[key], value, references, path)
    for (const key of ['allOf', 'anyOf', 'oneOf'])
      for (const one of listOf(part[key])) visit(one, value, references, path)
    if (Array.isArray(value)) visitItems(part, value, path)
    else if (isJsonObject(value)) visitMembers(part, value, path)
  }
  const visitItems = (part: JsonSchema, values: readonly JsonValue[], path: Path): void => {
    const { items, additionalItems, contains } = part as Readonly<Record<string, JsonValue>>
    if (items === undefined && contains === undefined) return
    for (const [at, value] of values.entries()) {
      visit(Array.isArray(items) ? (items[at] ?? additionalItems) : items, value, 0, [...path, at])
      visit(contains, value, 0, [...path, at])
    }
  }
  const visitMembers = (part: JsonSchema, values: Readonly<Record<string, JsonValue>>, path: Path): void => {
    const properties = isJsonObject(part['properties']) ? part['properties'] : {}
    const patterns = isJsonObject(part['patternProperties']) ? Object.values(part['patternProperties']) : []
    for (const [name, value] of Object.entries(values)) {
      const isNamed = Object.hasOwn(properties, name)
      visit(isNamed ? properties[name] : (part['additionalProperties'] as JsonValue), value, 0, [
        ...path,
        name,
      ])
      for (const pattern of patterns) visit(pattern, value, 0, [...path, name])
    }
  }
  visit(schema as JsonValue, inputs, 0, [])
}

/** Whether a schema can mark an input as sensitive. */
export function canBeSensitive(schema: JsonSchema | undefined): boolean {
  const text = JSON.stringify(schema ?? {})
  return text.includes('"writeOnly":true') || text.includes('"format":"password"')
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}
