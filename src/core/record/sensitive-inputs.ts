import { isJsonObject, type JsonSchema, type JsonValue } from '../json.ts'
import { sensitiveValues } from './sensitive-values.ts'

/** A schema that refers to itself ends with the value; this ends one that refers to itself without going deeper. */
const mostReferences = 100

/**
 * Every text and number that the inputs hold where their schema says `writeOnly: true` or `format: password`. Where an
 * alternative of the schema says so, the value counts whether the alternative fits or not.
 */
export function sensitiveInputs(schema: JsonSchema | undefined, inputs: JsonValue): readonly string[] {
  if (!schema) return []
  const found = new Set<string>()
  const visit = (part: JsonValue | undefined, value: JsonValue | undefined, references: number): void => {
    if (!isJsonObject(part) || value === undefined) return
    if (part['writeOnly'] === true || part['format'] === 'password') {
      // The value itself, and all that is under it.
      for (const one of sensitiveValues({ value }, ['value'])) found.add(one)
      return
    }
    const reference = part['$ref']
    if (typeof reference === 'string' && references < mostReferences)
      visit(partAt(schema, reference), value, references + 1)
    for (const key of ['if', 'then', 'else']) visit(part[key], value, references)
    for (const key of ['allOf', 'anyOf', 'oneOf'])
      for (const one of listOf(part[key])) visit(one, value, references)
    if (Array.isArray(value)) visitItems(part, value)
    else if (isJsonObject(value)) visitMembers(part, value)
  }
  const visitItems = (part: JsonSchema, values: readonly JsonValue[]): void => {
    const { items, additionalItems, contains } = part as Readonly<Record<string, JsonValue>>
    for (const [at, value] of values.entries()) {
      visit(Array.isArray(items) ? (items[at] ?? additionalItems) : items, value, 0)
      visit(contains, value, 0)
    }
  }
  const visitMembers = (part: JsonSchema, values: Readonly<Record<string, JsonValue>>): void => {
    const properties = isJsonObject(part['properties']) ? part['properties'] : {}
    const patterns = isJsonObject(part['patternProperties']) ? Object.values(part['patternProperties']) : []
    for (const [name, value] of Object.entries(values)) {
      const isNamed = Object.hasOwn(properties, name)
      visit(isNamed ? properties[name] : (part['additionalProperties'] as JsonValue), value, 0)
      for (const pattern of patterns) visit(pattern, value, 0)
    }
  }
  visit(schema as JsonValue, inputs, 0)
  return [...found]
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

/** The part of a schema that a reference such as `#/definitions/token` names. */
function partAt(schema: JsonSchema, reference: string): JsonValue | undefined {
  const names = reference.replace(/^#\/?/, '').split('/').filter(Boolean)
  return names.reduce<JsonValue | undefined>((part, escaped) => {
    const name = decodeURIComponent(escaped).replaceAll('~1', '/').replaceAll('~0', '~')
    return isJsonObject(part) && Object.hasOwn(part, name) ? part[name] : undefined
  }, schema as JsonValue)
}
