import { isJsonObject, type JsonSchema, type JsonValue } from '../json.ts'
import { anyType, eitherOf, type Field, type Kind, kindOf, type ValueType } from './value-type.ts'

const kindOfSchemaType: Readonly<Record<string, Kind>> = {
  null: 'null',
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  string: 'text',
  array: 'list',
  object: 'map',
}

/** How to read what a schema leaves open. */
export interface SchemaReading {
  /** A field that is not required may be missing. Left out: every field is taken to be there, as answers have it. */
  readonly isExact?: boolean
}

/** What a JSON Schema says about its values, as far as expressions care. What it says in other words is left open. */
export function typeOfSchema(schema: JsonSchema, reading: SchemaReading = {}): ValueType {
  const { properties, items, additionalProperties } = schema
  const kinds = kindsOf(schema)
  const branches = branchesOf(schema)
  if (branches && !properties && !items) {
    const type = eitherOf(branches.map((branch) => typeOfSchema({ ...outside(schema), ...branch }, reading)))
    return kinds && !type.kinds ? { ...type, kinds } : type
  }
  const values = valuesOf(schema)
  const rest = isJsonObject(items)
    ? items
    : isJsonObject(additionalProperties)
      ? additionalProperties
      : undefined
  return {
    ...(kinds === undefined ? {} : { kinds }),
    ...(isJsonObject(properties) ? { fields: fieldsOf(schema, properties, reading) } : {}),
    isOpen: isOpen(schema),
    ...(rest === undefined ? {} : { items: typeOfSchema(rest, reading) }),
    ...(values === undefined ? {} : { values }),
  }
}

function kindsOf(schema: JsonSchema): readonly Kind[] | undefined {
  const { type } = schema
  const named =
    type === undefined
      ? undefined
      : [type].flat().flatMap((name) => kindOfSchemaType[typeof name === 'string' ? name : ''] ?? [])
  const kinds = named ?? valuesOf(schema)?.map(kindOf)
  if (kinds === undefined || kinds.length === 0) return undefined
  const all = schema['nullable'] === true ? [...kinds, 'null' as const] : kinds
  return [...new Set(all)]
}

/** The values of `enum` or `const`; undefined where lists or maps are among them. */
function valuesOf({ enum: values, const: only }: JsonSchema): readonly JsonValue[] | undefined {
  const all = Array.isArray(values)
    ? (values as readonly JsonValue[])
    : only === undefined
      ? []
      : [only as JsonValue]
  return all.length === 0 || all.some((value) => typeof value === 'object' && value !== null)
    ? undefined
    : all
}

function branchesOf({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] | undefined {
  const branches = anyOf ?? oneOf
  return Array.isArray(branches) && branches.length > 0 && branches.every((branch) => isJsonObject(branch))
    ? (branches as readonly JsonSchema[])
    : undefined
}

function outside({ anyOf: _, oneOf: __, ...rest }: JsonSchema): JsonSchema {
  return rest
}

/** Fields beyond the named ones are expected only where the schema has words for them. */
function isOpen(schema: JsonSchema): boolean {
  const { properties, additionalProperties, patternProperties, allOf, anyOf, oneOf, $ref } = schema
  const isExtended = [patternProperties, allOf, anyOf, oneOf, $ref].some((part) => part !== undefined)
  return (
    !isJsonObject(properties) ||
    isExtended ||
    additionalProperties === true ||
    isJsonObject(additionalProperties)
  )
}

function fieldsOf(
  { required }: JsonSchema,
  properties: object,
  reading: SchemaReading,
): Readonly<Record<string, Field>> {
  const sure = new Set([required ?? []].flat())
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]): [string, Field] => {
      if (!isJsonObject(schema)) return [name, { type: anyType }]
      const type = typeOfSchema(schema, reading)
      const isSure = !reading.isExact || sure.has(name) || schema['default'] !== undefined
      return [name, isSure ? { type } : { type, isOptional: true, because: 'the schema does not require it' }]
    }),
  )
}
