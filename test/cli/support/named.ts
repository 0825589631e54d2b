import { systemUser } from '../../../src/engine/record/system-user.ts'

/** How a name that `--by` gives is recorded. */
export function named(by: string): string {
  return `${by} (user ${systemUser()})`
}
