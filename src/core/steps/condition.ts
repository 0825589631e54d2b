import { evaluate, type Scope } from '../expressions/evaluate.ts'
import type { Expression } from '../expressions/tree.ts'
import { nameKind } from '../expressions/value-type.ts'
import type { JsonObject } from '../json.ts'
import { RunbookError } from '../run-error.ts'

/** Whether a condition is true. Anything but true or false is `ExpressionFailed`, which names the key. */
export function holds(condition: Expression, key: string, scope: Scope): boolean {
  const value = evaluate(condition, scope)
  if (typeof value === 'boolean') return value
  const message = `"${key}" is ${nameKind(value)}, not true or false: "${condition.source}"`
  throw new RunbookError('ExpressionFailed', message)
}

/** Longer values are left out: a part of a value could not be masked. */
const mostValueCharacters = 200

/** Says that a condition did not come true, with the values that it read last. */
export function unmetConditionText({ source }: Expression, read: JsonObject, within: string): string {
  const last = Object.entries(read)
    .map(([name, value]) => `${name} is ${JSON.stringify(value)}`)
    .join(', ')
  const values = last === '' || last.length > mostValueCharacters ? '' : `; at last ${last}`
  return `"${source}" did not come true ${within}${values}`
}
