import type { ActionDescription, Safety } from '../../core/action.ts'
import { isJsonObject } from '../../core/json.ts'
import { safetyOf } from '../../core/safety.ts'
import type { JsonPath } from '../json-path.ts'
import type { Source } from '../source.ts'
import { isUndecided } from '../yaml/unreadable.ts'

/**
 * How safe the calls of a step are. Where its arguments decide, they are written out: what may be repeated is part of the
 * plan, and never a matter of what an expression comes to.
 */
export function compileSafety(
  source: Source,
  action: ActionDescription,
  given: unknown,
  path: JsonPath,
): Safety {
  const { safetyBy } = action
  const values = isJsonObject(given) ? given : {}
  if (!safetyBy) return action.safety
  const { argument, by } = safetyBy
  const refuse = (key: string, hint: string): Safety => {
    const at = [...path, key]
    const message = `"${key}" decides whether a call may be repeated, so it is written out`
    source.findings.add('EXPRESSION_NOT_ALLOWED', at, source.rangeOf(at), message, hint)
    return action.safety
  }
  const isOpen = (key: string): boolean => {
    const value = values[key]
    return typeof value === 'string' && isUndecided(value)
  }
  if (isOpen(argument)) return refuse(argument, 'one of read, idempotent, create')
  if (values[argument] === undefined && isOpen(by)) return refuse(by, `or say ${argument}: create`)
  return safetyOf(action, values)
}
