/** A value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** An object that JSON can hold. */
export interface JsonObject {
  readonly [key: string]: Json
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
