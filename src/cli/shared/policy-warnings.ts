import { type People, policyFindings } from '../../core/people/index.ts'
import type { Plan } from '../../core/plan/index.ts'

/** Warnings about questions that cannot be answered, one line each. */
export function policyWarnings(plans: readonly Plan[], people: People = {}): readonly string[] {
  return plans.flatMap((plan) =>
    policyFindings(plan, people).map(({ step, message }) => `question ${step} of ${plan.name}: ${message}`),
  )
}
