import { createHmac, randomBytes } from 'node:crypto'
import { canonicalText, type JsonValue } from '../../../core/json.ts'

/** Of this process alone. The audit keeps words, and its readers must not be able to try sensitive inputs against one. */
const key = randomBytes(32)

/** Names facts that can hold sensitive values: the same facts have the same word until the process ends. */
export function keyedWord(facts: JsonValue): string {
  const hash = createHmac('sha256', key).update(canonicalText(facts)).digest('hex')
  return `1-${hash.slice(0, 10)}`
}
