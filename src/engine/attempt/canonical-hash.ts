import { hash } from 'node:crypto'
import type { JsonValue } from '../../core/json.ts'
import { isJsonObject } from '../../core/json.ts'

/** SHA-256 of a value, in hex; the order of keys does not matter. */
export function canonicalHash(value: JsonValue): string {
  return hash('sha256', canonical(value))
}

function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  let fields = ''
  const keys = Object.keys(value)
  for (const key of keys.length > 1 ? keys.sort() : keys) {
    fields += `${fields === '' ? '' : ','}${JSON.stringify(key)}:${canonical(value[key] as JsonValue)}`
  }
  return `{${fields}}`
}
