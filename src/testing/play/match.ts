import { isJsonObject, type JsonValue } from '../../core/json.ts'

/** A place where a value differs from the expected one. */
export interface Difference {
  /** From the root of the value. */
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** Compares a value with an expected one: maps by the expected keys, lists as a whole. Returns the first difference. */
export function firstDifference(
  value: JsonValue | undefined,
  expected: JsonValue,
  path: readonly (string | number)[] = [],
): Difference | undefined {
  if (isJsonObject(expected)) {
    if (!isJsonObject(value)) return { path, message: differs(value, expected) }
    for (const [key, wanted] of Object.entries(expected)) {
      const found = firstDifference(value[key], wanted, [...path, key])
      if (found) return found
    }
    return undefined
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(value) || value.length !== expected.length)
      return { path, message: differs(value, expected) }
    for (const [index, wanted] of expected.entries()) {
      const found = firstDifference(value[index], wanted, [...path, index])
      if (found) return found
    }
    return undefined
  }
  return value === expected ? undefined : { path, message: differs(value, expected) }
}

/** `is 4, expected 5`. */
export function differs(value: JsonValue | undefined, expected: JsonValue): string {
  return `is ${shown(value)}, expected ${shown(expected)}`
}

const longest = 300

/** A value as one line of at most 300 characters. */
export function shown(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
