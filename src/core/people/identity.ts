import type { Identity } from '../events.ts'

/** Who answered, and how the name is known: `ada (console)`, `bob (claimed on the command line, user root)`. */
export function answererText({ name, source, verified, user }: Identity): string {
  if (source === 'flag') return `${name} (claimed on the command line, user ${user ?? 'unknown'})`
  if (source === 'system-user') return verified ? `${name} (system user)` : name
  return source === 'timeout' || source === 'server' ? name : `${name} (${source})`
}

/** The identity in one text: a claimed name never stands without the system user. */
export function identityText({ name, source, user }: Identity): string {
  return source === 'flag' ? `${name} (user ${user ?? 'unknown'})` : name
}

/** Characters of the name of who does something. */
export const longestName = 200
/** Characters of what they say about it. */
export const longestComment = 4000
