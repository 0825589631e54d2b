/**
 * Whether a text has no half of a surrogate pair. Such halves are all written as the same replacement character, so two
 * ids or keys that differ in nothing else would become one.
 */
export function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text)
}
