import { createHash } from 'node:crypto'
import type { JsonValue } from '../../core/json.ts'
import { isJsonObject } from '../../core/json.ts'

/** SHA-256 of a value, in hex; the order of keys does not matter. */
export function canonicalHash(value: JsonValue): string {
  return createHash('sha256').update(canonical(value)).digest('hex')
}

function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] as JsonValue)}`).join(',')}}`
}
