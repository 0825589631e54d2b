import { userInfo } from 'node:os'
import type { Identity } from '../../core/record/identity.ts'

/** Whoever this process works for. */
export function systemIdentity(): Identity {
  const user = systemUser()
  return { name: user, source: 'system-user', user }
}

/** The name of the system user. */
export function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    // A number without a name, as in some containers.
    return String(process.getuid?.() ?? 'unknown')
  }
}
