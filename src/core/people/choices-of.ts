import { isJsonObject, type JsonSchema, type JsonValue } from '../json.ts'
import type { Question } from './question.ts'

/** The values that a field of an answer can have, where a form can list them. Undefined: any that fit its schema. */
export function choicesOf(
  { schema = {}, choices = {} }: Pick<Question, 'schema' | 'choices'>,
  name: string,
): readonly JsonValue[] | undefined {
  if (Object.hasOwn(choices, name)) return choices[name]
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {}
  const field = Object.hasOwn(properties, name) ? properties[name] : undefined
  if (!isJsonObject(field)) return undefined
  return listedBy(field['type'] === 'array' && isJsonObject(field['items']) ? field['items'] : field)
}

function listedBy({ type, enum: listed }: JsonSchema): readonly JsonValue[] | undefined {
  if (Array.isArray(listed)) return listed
  return type === 'boolean' ? [true, false] : undefined
}
