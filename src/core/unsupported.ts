import type { Plan } from './plan.ts'

/** What a plan asks for and the interpreter does not carry out yet: refused before a run, never ignored. */
export function unsupportedFeatures(plan: Plan): readonly string[] {
  return plan.concurrency === undefined ? [] : ['concurrency']
}
