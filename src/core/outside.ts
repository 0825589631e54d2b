import type { ActionDescription } from './action.ts'

/**
 * Whether a call of the action can reach anything but the service: true for `core/http` and for every action of a
 * project, whose code nothing can check.
 */
export function reachesOutside({
  usesNoConnection,
  isLocal,
}: Pick<ActionDescription, 'usesNoConnection' | 'isLocal'>): boolean {
  return usesNoConnection === true && isLocal !== true
}
