import type { ActionDescription, Safety, SafetyRule } from './action.ts'
import type { JsonValue } from './json.ts'

type Judged = Pick<ActionDescription, 'safety' | 'safetyBy'>

/** How safe a call with these arguments is. */
export function safetyOf(
  { safety, safetyBy }: Judged,
  input: Readonly<Record<string, JsonValue | undefined>>,
): Safety {
  if (!safetyBy) return safety
  const named = input[safetyBy.argument]
  if (named === 'read' || named === 'idempotent' || named === 'create') return named
  const value = input[safetyBy.by]
  return value === undefined ? safetyBy.leftOut : valueSafety(safetyBy, String(value), safety)
}

function valueSafety({ values }: SafetyRule, value: string, otherwise: Safety): Safety {
  return Object.hasOwn(values, value) ? (values[value] ?? otherwise) : otherwise
}
