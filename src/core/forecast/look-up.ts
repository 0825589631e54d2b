import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { Reference } from './references.ts'

/** The value that a path leads to, or undefined where it leads nowhere. */
export function lookUp(reference: Reference, scope: JsonObject): JsonValue | undefined {
  let value: JsonValue | undefined = scope
  for (const part of reference) {
    if (Array.isArray(value)) value = (value as readonly JsonValue[])[Number(part)]
    else value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined
  }
  return value
}
