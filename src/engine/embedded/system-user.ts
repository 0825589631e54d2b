import { userInfo } from 'node:os'

/** The name that this process works under. */
export function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    // A number without a name, as in some containers.
    return String(process.getuid?.() ?? 'unknown')
  }
}
