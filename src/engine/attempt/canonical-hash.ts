import { hash } from 'node:crypto'
import { canonicalText, type JsonValue } from '../../core/json.ts'

/** SHA-256 of a value, in hex; the order of keys does not matter. */
export function canonicalHash(value: JsonValue): string {
  return hash('sha256', canonicalText(value))
}
