import { type ActionDescription, type Safety, safetyOf } from '../../core/action.ts'
import { isJsonObject, type JsonPath } from '../../core/json.ts'
import type { Source } from '../source.ts'
import { isUnknownYet } from '../yaml/findings.ts'

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
    const message = `"${key}" decides whether a call may be repeated, so it is written out`
    source.add('EXPRESSION_NOT_ALLOWED', [...path, key], message, hint)
    return action.safety
  }
  const isOpen = (key: string): boolean => {
    const value = values[key]
    return typeof value === 'string' && isUnknownYet(value)
  }
  if (isOpen(argument)) return refuse(argument, 'one of read, idempotent, create')
  if (values[argument] === undefined && isOpen(by)) return refuse(by, `or say ${argument}: create`)
  const safety = safetyOf(action, values)
  const method = values[by]
  // Another method is refused elsewhere.
  const isMethod = listedValues(action, by).includes(method)
  if (isMethod && values[argument] === undefined && safety === 'create')
    warnOfCreate(source, String(method), argument, [...path, by])
  return safety
}

function listedValues({ input }: ActionDescription, name: string): readonly unknown[] {
  const properties = isJsonObject(input['properties']) ? input['properties'] : {}
  const schema = properties[name]
  return isJsonObject(schema) && Array.isArray(schema['enum']) ? schema['enum'] : []
}

/** Most who send a message by POST do not expect that a run stops there for a person. */
function warnOfCreate(source: Source, method: string, argument: string, at: JsonPath): void {
  const message = `${method} without "${argument}" is a create: after a 500 or a lost answer it is not sent again, and the run stops as "unknown" until a person decides, also with continue-on-error`
  const hint = `${argument}: idempotent where sending it twice does no harm, read where it changes nothing, create where this is meant`
  source.warn('SAFETY_NOT_STATED', at, message, hint)
}
