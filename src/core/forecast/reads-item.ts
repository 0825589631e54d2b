import { isJsonObject } from '../json.ts'
import type { ForEachPlan, StepPlan } from '../plan.ts'

/** Whether what a loop does can differ between its items: whether anything in it names the item or its index. */
export function readsItem(step: StepPlan, { as }: ForEachPlan): boolean {
  return namesOne(step, new Set([as, 'index']))
}

/** A plan is plain data: every name that is read stands in it as a node of a tree. */
function namesOne(part: unknown, names: ReadonlySet<string>): boolean {
  if (Array.isArray(part)) return part.some((one) => namesOne(one, names))
  if (!isJsonObject(part)) return false
  if (part['kind'] === 'name' && names.has(String(part['name']))) return true
  return Object.values(part).some((one) => namesOne(one, names))
}
