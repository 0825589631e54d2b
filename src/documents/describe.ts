import type { JsonObject, JsonSchema, JsonValue } from '../core/json.ts'

declare const described: unique symbol

/** The JSON Schema of the values of a type. The compiler refuses one that describes another type. */
export interface Schema<T> extends JsonSchema {
  /** Never there: for the compiler alone. */
  readonly [described]?: (value: T) => T
}

/** The members of an object. Names of those that may be left out end in `?`. */
export type Members<T> = {
  readonly [K in keyof T & string as object extends Pick<T, K> ? `${K}?` : K]-?: Schema<
    Exclude<T[K], undefined>
  >
}

export const text: Schema<string> = { type: 'string' }
export const number: Schema<number> = { type: 'number' }
/** An integer that is not negative. */
export const wholeNumber: Schema<number> = { type: 'integer', minimum: 0 }
/** RFC 3339. */
export const time: Schema<string> = { type: 'string', format: 'date-time' }
/** Left out where it is not so. */
export const yes: Schema<true> = { const: true }
export const flag: Schema<boolean> = { type: 'boolean' }
export const anything: Schema<JsonValue> = {}
export const anyObject: Schema<JsonObject> = { type: 'object' }

/** An object of this type. A member that is missing, unknown or of another type does not compile. */
export function objectOf<T extends object>(members: Members<T>, description?: string): Schema<T> {
  const entries = Object.entries<JsonSchema>(members)
  const required = entries.flatMap(([name]) => (name.endsWith('?') ? [] : [name]))
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace(/\?$/, ''), schema])),
    ...(required.length === 0 ? {} : { required }),
  }
}

/** A type of which the schema says no more than this. */
export function partly<T>(schema: JsonSchema): Schema<T> {
  return schema
}

export function arrayOf<T>(items: Schema<T>): Schema<readonly T[]> {
  return { type: 'array', items }
}

/** An object whose members all look alike. */
export function dictionaryOf<T>(values: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return { type: 'object', additionalProperties: values }
}

export function oneWord<const T extends string>(...words: readonly T[]): Schema<T> {
  return { type: 'string', enum: words }
}

/** One of several, which `T` has to name. */
export function unionOf<T>(...schemas: readonly JsonSchema[]): Schema<T> {
  return { oneOf: schemas }
}

/** A schema inside a schema of the same type: a reference to its name in the description of the API. */
export function itself<T>(name: string): Schema<T> {
  return { $ref: refTo(name) }
}

/** How the description of the API refers to a schema. */
export function refTo(name: string): string {
  return `#/components/schemas/${name}`
}
