import { userInfo } from 'node:os'
import type { Identity } from '../../core/events.ts'

/** The identity of the user who runs this process. */
export function systemIdentity(): Identity {
  const user = systemUser()
  return { name: user, source: 'system-user', user }
}

/** The name of the system user. */
export function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    // Some containers have a user id without a name.
    return String(process.getuid?.() ?? 'unknown')
  }
}
