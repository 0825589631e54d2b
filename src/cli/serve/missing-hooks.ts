import { hint } from '../../core/nearest.ts'
import type { TriggeredRunbook } from '../../triggers/offers/runbook.ts'

/** What is to be said of triggers that wait for a hook which is not there. */
export function missingHooks(
  runbooks: readonly TriggeredRunbook[],
  hooks: readonly string[],
): readonly string[] {
  return runbooks.flatMap(({ plan }) =>
    (plan.triggers ?? []).flatMap((trigger, place) => {
      if (trigger.type === 'schedule' || trigger.hook === undefined || hooks.includes(trigger.hook)) return []
      return [
        `trigger ${place} of ${plan.name} starts nothing: there is no hook "${trigger.hook}" in opsbook.yaml${hint(trigger.hook, hooks)}`,
      ]
    }),
  )
}
