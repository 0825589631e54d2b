import type { ActionDescription } from '../../core/action.ts'
import { isJsonObject } from '../../core/json.ts'

/** Whether there is an argument that the action does not know. Beside its finding, none is said to be missing. */
export function hasUnknown({ input }: ActionDescription, values: object): boolean {
  const { properties } = input
  return isJsonObject(properties) && Object.keys(values).some((key) => !Object.hasOwn(properties, key))
}
