import type { Identity } from '../events.ts'
import { invisible } from '../text/invisible.ts'

/**
 * Whether two identities are one person, as far as can be known: the same stable id of a login, else one name in
 * common, whatever its case, its width and its blanks. Without an id, people of one name are one person.
 */
export function isSamePerson(one: Identity, other: Identity): boolean {
  if (one.id !== undefined && other.id !== undefined) return one.id === other.id
  const names = new Set(namesOf(one))
  return namesOf(other).some((name) => names.has(name))
}

function namesOf({ name, user }: Identity): readonly string[] {
  return [name, ...(user === undefined ? [] : [user])].map((one) =>
    // By capitals: one can have several small letters. Of those that have none, such as ẞ, by their small letters.
    one
      .normalize('NFKC')
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .normalize('NFKC')
      .trim()
      .replace(/\s+/g, ' '),
  )
}

/** Why a name is none for a person: two that differ in invisible characters alone look the same. */
export function nameProblem(name: string): string | undefined {
  const found = invisible.exec(name)?.[0]
  if (found === undefined) return undefined
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `the name holds the invisible character U+${code}`
}
