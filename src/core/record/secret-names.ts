import type { Plan } from '../plan.ts'

/** Every secret that a plan, or a runbook that it runs, names. */
export function secretNames({ secrets = [], children = {} }: Plan): readonly string[] {
  return [...new Set([...secrets, ...Object.values(children).flatMap((child) => child.secrets ?? [])])]
}
