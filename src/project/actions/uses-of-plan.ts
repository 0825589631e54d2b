import type { ActionDescription } from '../../core/action.ts'
import { callingSteps, type Plan, type UsesPlan } from '../../core/plan/index.ts'

/** Every call of an action in a plan, those of child runbooks included. */
export function usesOf(plan: Plan): readonly UsesPlan[] {
  return callingSteps(plan).map(({ uses }) => uses)
}

/** Whether a step calls the service over the default connection. Local actions and those of other systems need none. */
export function needsDefaultConnection(plan: Plan, actions: readonly ActionDescription[]): boolean {
  const needing = new Set(
    actions.filter((action) => !action.usesNoConnection && !action.isLocal).map(({ name }) => name),
  )
  return usesOf(plan).some(({ action, connection }) => connection === undefined && needing.has(action.name))
}
