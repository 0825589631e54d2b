import type { OperationId } from './body-schemas.ts'
import { appliesTo, type FaultRule } from './fault-rule.ts'
import { isObject, type Json, type JsonObject } from './json.ts'

/** The faults that are to come. */
export interface FaultList {
  replace(rules: readonly FaultRule[]): void
  /** The fault for this call, if one is due: of several the first, which is used up by it. */
  take(id: OperationId, key: string | undefined, body: Json | undefined): FaultRule | undefined
  /** Each rule with how often it matched and was applied, and how often it still will be; null for ever. */
  list(): readonly JsonObject[]
}

interface ActiveRule {
  readonly rule: FaultRule
  matched: number
  applied: number
}

export function createFaultList(): FaultList {
  let active: readonly ActiveRule[] = []
  return {
    replace(rules) {
      active = rules.map((rule) => ({ rule, matched: 0, applied: 0 }))
    },
    take(id, key, body) {
      for (const item of active) {
        if (!appliesTo(item.rule, id) || !meets(item.rule, key, body)) continue
        item.matched += 1
        const isDue = item.rule.every === undefined || item.matched % item.rule.every === 0
        if (!isDue || item.applied >= (item.rule.times ?? Number.POSITIVE_INFINITY)) continue
        item.applied += 1
        return item.rule
      }
      return undefined
    },
    list: () =>
      active.map(({ rule, matched, applied }) => ({
        ...(rule as unknown as JsonObject),
        matched,
        applied,
        left: rule.times === undefined ? null : rule.times - applied,
      })),
  }
}

function meets({ condition }: FaultRule, key: string | undefined, body: Json | undefined): boolean {
  if (condition?.key !== undefined && condition.key !== key) return false
  return condition?.body === undefined || contains(body, condition.body)
}

/** Whether `actual` holds all of `wanted`: fields of objects, and for each entry of a list one that holds it. */
function contains(actual: Json | undefined, wanted: Json): boolean {
  if (Array.isArray(wanted)) {
    const entries: readonly Json[] = wanted
    return Array.isArray(actual) && entries.every((entry) => actual.some((item) => contains(item, entry)))
  }
  if (isObject(wanted))
    return isObject(actual) && Object.entries(wanted).every(([name, value]) => contains(actual[name], value))
  return actual === wanted
}
