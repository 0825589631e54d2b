/** A value that JSON can hold. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

/** An object that JSON can hold. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** A JSON Schema (2020-12 vocabulary as far as Ajv's default dialect goes), as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** The schema of an object type `T`: the compiler refuses it when its properties and those of `T` differ. */
export interface ObjectSchema<T> extends JsonSchema {
  readonly type: 'object'
  readonly properties: { readonly [K in keyof T]-?: JsonSchema }
  readonly required: readonly RequiredKey<T>[]
}

type RequiredKey<T> = { [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T]

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
