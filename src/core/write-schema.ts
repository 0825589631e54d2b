/** The words that schemas are written with. `more`: keywords of JSON Schema beyond those of the word. */
import type { JsonSchema, ObjectSchema } from './json.ts'

type Members = Readonly<Record<string, JsonSchema | false>>

export function string(description: string, more: JsonSchema = {}): JsonSchema {
  return { type: 'string', description, ...more }
}

export function nonEmpty(description: string, more: JsonSchema = {}): JsonSchema {
  return { type: 'string', minLength: 1, description, ...more }
}

export function boolean(description: string, more: JsonSchema = {}): JsonSchema {
  return { type: 'boolean', description, ...more }
}

export function integer(description: string, more: JsonSchema = {}): JsonSchema {
  return { type: 'integer', description, ...more }
}

/** One of some words, each with what it means. */
export function choice(
  description: string,
  words: Readonly<Record<string, string>>,
  more: JsonSchema = {},
): JsonSchema {
  const [names, meanings] = [Object.keys(words), Object.values(words)]
  return { type: 'string', enum: names, enumDescriptions: meanings, description, ...more }
}

export function array(description: string, items: JsonSchema, more: JsonSchema = {}): JsonSchema {
  return { type: 'array', items, description, ...more }
}

/** A map with values that all look alike, under any names. */
export function byName(description: string, values: JsonSchema, more: JsonSchema = {}): JsonSchema {
  return { type: 'object', additionalProperties: values, description, ...more }
}

/** A map with these members and no others. */
export function object(description: string, properties: Members, more: JsonSchema = {}): JsonSchema {
  return { type: 'object', additionalProperties: false, properties, description, ...more }
}

/** The same without a description, such as all that an action takes. With a type, the compiler compares the members. */
export function closed<T>(
  required: NoInfer<ObjectSchema<T>['required']>,
  properties: NoInfer<ObjectSchema<T>['properties']>,
): ObjectSchema<T>
export function closed(required: readonly string[], properties: Members, more?: JsonSchema): JsonSchema
export function closed(required: readonly string[], properties: Members, more: JsonSchema = {}): JsonSchema {
  const needed = required.length === 0 ? {} : { required }
  return { type: 'object', ...needed, additionalProperties: false, properties, ...more }
}

/** What holds where a condition does, and what holds otherwise. */
export function when(condition: JsonSchema, holds: JsonSchema, otherwise?: JsonSchema): JsonSchema {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { if: condition, then: holds, ...(otherwise === undefined ? {} : { else: otherwise }) }
}
