import type { Plan } from '../../core/plan.ts'
import { triggerText } from '../../core/triggers/trigger-text.ts'
import { noHook } from '../configuration/no-hook.ts'

/** What is to be said of triggers that wait for a hook which is not there. */
export function missingHooks(
  runbooks: readonly { readonly plan: Plan }[],
  hooks: readonly string[],
): readonly string[] {
  return runbooks.flatMap(({ plan }) =>
    (plan.triggers ?? []).flatMap((trigger, place) => {
      if (trigger.type === 'schedule' || trigger.hook === undefined || hooks.includes(trigger.hook)) return []
      return [`${triggerText(place)} of ${plan.name} starts nothing: ${noHook(trigger.hook, hooks)}`]
    }),
  )
}
