import { hint } from '../../core/nearest.ts'

/** What is said of a hook that is not there. */
export function noHook(hook: string, hooks: readonly string[]): string {
  return `there is no hook "${hook}" in opsbook.yaml${hint(hook, hooks)}`
}
