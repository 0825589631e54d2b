import { createHash, createHmac, randomBytes } from 'node:crypto'
import { canonicalText, type JsonObject, type JsonValue } from '../core/json.ts'
import type { Plan } from '../core/plan/index.ts'
import { canBeSensitive, sensitivePaths } from '../core/record/index.ts'

/** Of this process alone. */
const key = randomBytes(32)

/**
 * Names facts: the same facts have the same word, also after a restart of `serve`. The audit keeps words, and its readers
 * must not be able to try sensitive values against one: the word of facts with such values ends with this process.
 */
export function previewWordOf(facts: JsonValue, hasSensitive: boolean): string {
  const hash = hasSensitive ? createHmac('sha256', key) : createHash('sha256')
  return `1-${hash.update(canonicalText(facts)).digest('hex').slice(0, 10)}`
}

/** Whether these inputs hold values that the plan, or one that it runs, marks as sensitive. */
export function holdsSensitive(plan: Plan, inputs: JsonObject): boolean {
  const children = Object.values(plan.children ?? {})
  return (
    sensitivePaths(plan.inputs, inputs).length > 0 || children.some((child) => canBeSensitive(child.inputs))
  )
}
