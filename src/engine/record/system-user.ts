import { userInfo } from 'node:os'

/** Who this process works for. */
export function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    // A number without a name, as in some containers.
    return String(process.getuid?.() ?? 'unknown')
  }
}
