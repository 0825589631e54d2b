import type { Identity } from '../events.ts'
import type { AnswerPolicy, People } from './question.ts'

/** A person as an answer is recorded: whether the name is verified, and which groups have it, besides those of the login. */
export function vouch(
  { groups = {}, trust = [] }: People,
  { by, groups: ofLogin = [] }: { readonly by: Identity; readonly groups?: readonly string[] },
): { readonly by: Identity; readonly groups: readonly string[] } {
  const isTrusted = by.source === 'system-user' && trust.includes(by.source)
  const having = Object.entries(groups).flatMap(([group, names]) => (names.includes(by.name) ? [group] : []))
  return { by: isTrusted ? { ...by, verified: true } : by, groups: [...new Set([...ofLogin, ...having])] }
}

/** The people that a question is decided by: those of its groups alone. */
export function peopleOfPolicy(
  { groups: named = [] }: AnswerPolicy,
  { groups = {}, trust = [] }: People,
): People {
  const members = named.map((group) => [group, Object.hasOwn(groups, group) ? (groups[group] ?? []) : []])
  return { ...(named.length === 0 ? {} : { groups: Object.fromEntries(members) }), trust }
}
