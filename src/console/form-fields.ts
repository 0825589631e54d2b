/** The fields of forms that are made from a JSON Schema: the server reads them, and pages show them. No Node. */
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../core/json.ts'
import type { Question } from '../core/people/index.ts'

/** How a field is filled in. `list`: texts with commas between them. `yaml`: anything. */
export type FieldKind = 'text' | 'long-text' | 'date' | 'number' | 'choice' | 'choices' | 'list' | 'yaml'

/** A field of a form. */
export interface FormField {
  /** The names of the objects that it is in, and its own. */
  readonly path: readonly string[]
  /** The path as one text: what the field is called in a form. */
  readonly name: string
  readonly kind: FieldKind
  readonly schema: JsonObject
  /** Only of `choice` and `choices`. */
  readonly choices?: readonly FieldChoice[]
  readonly isRequired: boolean
  /** What is typed here is never sent back. */
  readonly isSecret: boolean
  /** The value where the field is left empty. */
  readonly usual?: JsonValue
}

/** One of the values that a field can have. */
export interface FieldChoice {
  readonly title: string
  readonly value: JsonValue
}

/** The fields of an object. An object in it whose members are known has a field for each of them. */
export function fieldsOf(schema: JsonSchema | undefined): readonly FormField[] {
  return fieldsIn(schema, [], { isRequired: true, isSecret: false })
}

/** The fields of the answer to a question. Their choices and what they are by default are those of the question. */
export function fieldsOfAnswer({ schema, choices = {}, default: usual }: Asked): readonly FormField[] {
  const known = isJsonObject(schema?.['properties']) ? schema['properties'] : {}
  const asked = Object.entries(known).map(([name, given]) => {
    const { default: _, ...property } = isJsonObject(given) ? given : {}
    const items = isJsonObject(property['items']) ? property['items'] : {}
    const only = choices[name] && { enum: choices[name] }
    return [
      name,
      {
        ...property,
        ...(property['type'] === 'array' ? { items: { ...items, ...only } } : only),
        ...(isJsonObject(usual) && usual[name] !== undefined ? { default: usual[name] } : {}),
      },
    ] as const
  })
  return fieldsOf({ ...schema, properties: Object.fromEntries(asked) })
}

type Asked = Pick<Question, 'schema' | 'choices' | 'default'>

function fieldsIn(
  schema: JsonSchema | undefined,
  inside: readonly string[],
  object: Pick<FormField, 'isRequired' | 'isSecret'>,
): readonly FormField[] {
  const properties = schema?.['properties']
  const required = schema?.['required']
  return Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, given]) => {
    const property = isJsonObject(given) ? given : {}
    const path = [...inside, name]
    const isRequired = object.isRequired && Array.isArray(required) && required.includes(name)
    const isSecret = object.isSecret || property['writeOnly'] === true || property['format'] === 'password'
    if (isGroup(property)) return fieldsIn(property, path, { isRequired, isSecret })
    return [{ ...fieldOf(path, property), isRequired, isSecret }]
  })
}

/** Whether an object has a field for each of its members. */
function isGroup({ type, properties, default: usual, additionalProperties = false }: JsonObject): boolean {
  return (
    type === 'object' && isJsonObject(properties) && usual === undefined && additionalProperties === false
  )
}

function fieldOf(path: readonly string[], schema: JsonObject): Omit<FormField, 'isRequired' | 'isSecret'> {
  const { default: usual } = schema
  const items = isJsonObject(schema['items']) ? schema['items'] : {}
  const isList = schema['type'] === 'array'
  const choices = choicesIn(isList ? items : schema)
  return {
    path,
    name: path.join('.'),
    kind: choices === undefined ? kindOf(schema, items) : isList ? 'choices' : 'choice',
    schema,
    ...(choices === undefined ? {} : { choices }),
    ...(usual === undefined ? {} : { usual }),
  }
}

const numbers: ReadonlySet<unknown> = new Set(['integer', 'number'])
/** Longer texts have more than one line. */
const longestLine = 200

function kindOf({ type, format, maxLength = 0 }: JsonObject, items: JsonObject): FieldKind {
  if (numbers.has(type)) return 'number'
  if (type === 'array') return items['type'] === 'string' || numbers.has(items['type']) ? 'list' : 'yaml'
  if (type !== 'string') return 'yaml'
  if (format === 'date') return 'date'
  return Number(maxLength) > longestLine ? 'long-text' : 'text'
}

function choicesIn({
  const: only,
  enum: listed,
  oneOf,
  type,
}: JsonObject): readonly FieldChoice[] | undefined {
  if (only !== undefined) return [choiceOf(only)]
  if (Array.isArray(listed)) return listed.map((value) => choiceOf(value as JsonValue))
  if (type === 'boolean') return [choiceOf(true), choiceOf(false)]
  if (!Array.isArray(oneOf) || oneOf.length === 0) return undefined
  const cases = oneOf.map((one) => (isJsonObject(one) ? one : {}))
  if (cases.some((one) => one['const'] === undefined)) return undefined
  return cases.map(({ const: value = null, title }) => ({
    value,
    title: typeof title === 'string' ? title : valueText(value),
  }))
}

function choiceOf(value: JsonValue): FieldChoice {
  return { value, title: valueText(value) }
}

/** A value as a person would type it. */
export function valueText(value: JsonValue): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
