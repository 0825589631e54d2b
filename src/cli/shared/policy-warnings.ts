import { type People, policyFindings } from '../../core/people/index.ts'
import type { Plan } from '../../core/plan.ts'

/** Warnings about questions that no one can answer, one line each. */
export function policyWarnings(plans: readonly Plan[], people: People = {}): readonly string[] {
  return plans.flatMap((plan) =>
    policyFindings(plan, people).map(
      ({ step, message }) => `no one can answer the question ${step} of ${plan.name}: ${message}`,
    ),
  )
}
