import type { Identity } from '../../../src/core/events.ts'
import { systemUser } from '../../../src/engine/record/system-user.ts'

/** How a name that `--by` gives is recorded. */
export function claimed(name: string): Identity {
  return { name, source: 'flag', user: systemUser() }
}

/** The same as views show it. */
export function named(name: string): string {
  return `${name} (user ${systemUser()})`
}

/** The same where they answered a question. */
export function answerer(name: string): string {
  return `${name} (claimed on the command line, user ${systemUser()})`
}
