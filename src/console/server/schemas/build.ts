import type { JsonSchema } from '../../../core/json.ts'

export const text: JsonSchema = { type: 'string' }
export const number: JsonSchema = { type: 'number' }
export const count: JsonSchema = { type: 'integer', minimum: 0 }
export const time: JsonSchema = { type: 'string', format: 'date-time' }
export const yes: JsonSchema = { const: true }
export const flag: JsonSchema = { type: 'boolean' }
export const anything: JsonSchema = {}
export const anyObject: JsonSchema = { type: 'object' }

/** An object with these members. A name that ends in `?` may be left out. */
export function record(members: Readonly<Record<string, JsonSchema>>, description?: string): JsonSchema {
  const entries = Object.entries(members)
  const required = entries.flatMap(([name]) => (name.endsWith('?') ? [] : [name]))
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace(/\?$/, ''), schema])),
    ...(required.length === 0 ? {} : { required }),
  }
}

export function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

/** An object whose members all look alike. */
export function map(values: JsonSchema): JsonSchema {
  return { type: 'object', additionalProperties: values }
}

export function oneWord(...words: readonly string[]): JsonSchema {
  return { type: 'string', enum: words }
}

/** A schema under `components` of the description. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}
