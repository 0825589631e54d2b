import { isJsonObject, type JsonSchema, type JsonValue } from '../json.ts'

export type Kind = 'null' | 'boolean' | 'number' | 'text' | 'list' | 'map'

/** What is known about a value before it exists. Nothing known is `{}`. */
export interface ValueType {
  /** The kinds it can be; left out: any. */
  readonly kinds?: readonly Kind[]
  /** For maps: the fields that are known. */
  readonly fields?: Readonly<Record<string, Field>>
  /** For maps: there may be fields that are not known. */
  readonly isOpen?: boolean
  /** For lists: what the items are. For open maps: what the unknown fields are. */
  readonly items?: ValueType
  /** For texts, where only some are possible. */
  readonly values?: readonly JsonValue[]
}

export interface Field {
  readonly type: ValueType
  /** It can be missing, and is only read under a guard. */
  readonly isOptional?: boolean
  /** For people: why it can be missing. */
  readonly because?: string
}

export const anything: ValueType = {}
export const truth: ValueType = { kinds: ['boolean'] }
export const numberType: ValueType = { kinds: ['number'] }
export const textType: ValueType = { kinds: ['text'] }

export function listOf(items: ValueType): ValueType {
  return { kinds: ['list'], items }
}

export function mapOf(fields: Readonly<Record<string, Field>>, isOpen = false): ValueType {
  return { kinds: ['map'], fields, isOpen }
}

const kindOfSchemaType: Readonly<Record<string, Kind>> = {
  null: 'null',
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  string: 'text',
  array: 'list',
  object: 'map',
}

/** What a JSON Schema says about its values, as far as expressions care. */
export function typeOfSchema(schema: JsonSchema): ValueType {
  const { type, properties, items, additionalProperties, enum: values } = schema
  const kinds = kindsOf(schema)
  return {
    ...(type === undefined && kinds === undefined ? {} : { kinds: kinds ?? [] }),
    ...(isSchema(properties) ? { fields: fieldsOf(properties) } : {}),
    isOpen: !isSchema(properties) || additionalProperties === true || isSchema(additionalProperties),
    ...(isSchema(items) ? { items: typeOfSchema(items) } : {}),
    ...(isSchema(additionalProperties) ? { items: typeOfSchema(additionalProperties) } : {}),
    ...(Array.isArray(values) ? { values: values as readonly JsonValue[] } : {}),
  }
}

function kindsOf(schema: JsonSchema): readonly Kind[] | undefined {
  const { type, enum: values, const: only } = schema
  if (type !== undefined) {
    return [type].flat().flatMap((name) => kindOfSchemaType[String(name)] ?? [])
  }
  if (Array.isArray(values)) return [...new Set((values as JsonValue[]).map(kindOf))]
  return only === undefined ? undefined : [kindOf(only as JsonValue)]
}

function fieldsOf(properties: JsonSchema): Readonly<Record<string, Field>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      { type: isSchema(schema) ? typeOfSchema(schema) : anything },
    ]),
  )
}

function isSchema(value: unknown): value is JsonSchema {
  return isJsonObject(value)
}

export function kindOf(value: JsonValue): Kind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'object') return 'map'
  return typeof value === 'string' ? 'text' : (typeof value as 'number' | 'boolean')
}

/** Whether a value of this type can be of one of the kinds. */
export function canBe(type: ValueType, ...kinds: readonly Kind[]): boolean {
  return type.kinds === undefined || type.kinds.some((kind) => kinds.includes(kind))
}

/** Whether values of the two types can be equal at all. */
export function canBeEqual(left: ValueType, right: ValueType): boolean {
  return left.kinds === undefined || right.kinds === undefined || canBe(left, ...right.kinds)
}

/** What is true of both types. */
export function either(left: ValueType, right: ValueType): ValueType {
  if (left.kinds === undefined || right.kinds === undefined) return anything
  return { kinds: [...new Set([...left.kinds, ...right.kinds])], isOpen: true }
}

const names: Readonly<Record<Kind, string>> = {
  null: 'null',
  boolean: 'true or false',
  number: 'a number',
  text: 'a text',
  list: 'a list',
  map: 'a map',
}

/** The kinds of a type, for people. */
export function describeKinds(kinds: readonly Kind[] | undefined): string {
  return kinds === undefined ? 'anything' : kinds.map((kind) => names[kind]).join(' or ')
}
