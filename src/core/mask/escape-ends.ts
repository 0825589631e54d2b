import type { Layer } from './layer.ts'

/** Whether the escape at this place, or what was left out there, has what secrets lack. Of numbers, digits are compared. */
export function isInEscape(
  lacking: ReadonlySet<string> | undefined,
  { codes, isBroken, isEscape }: Layer,
  place: number,
  escaped: number,
): boolean {
  if (lacking === undefined) return false
  const digits = (codes[escaped] ?? 0).toString(16).padStart(4, '0')
  const written = [
    ...(isBroken(place) ? leftOut : []),
    // A sign that is encoded has other digits before it.
    ...(isEscape(escaped) ? [digits, `2525${digits.slice(-2)}`] : []),
  ]
  return written.some((one) =>
    [anyEscape, '%', `%${one.at(-2)}`, ...[1, 2, 3, 4].map((length) => one.slice(-length))].some((end) =>
      lacking.has(end),
    ),
  )
}

/** What can be the end of an escape, where a text before it is the beginning of one. */
export const endOfEscape: RegExp = /^(?:#?\w{0,8};|[0-9a-f]{1,4}|[nr])/i
/** What can be the beginning of an escape, where a text behind it is the end of one. */
export const beginningOfEscape: RegExp =
  /(?:%[0-9a-f]?|\\+(?:x[0-9a-f]?|u[0-9a-f]{0,3})|&(?:#\d{0,7}|#x[0-9a-f]{0,6}|am?p?|ap?o?s?|[lg]t?|qu?o?t?)?)$/i

/** What a secret lacks where it is no number of `%41` or `\u0041`. */
const anyEscape = ''
/** What stands for line breaks and backslashes in escapes. */
const leftOut: readonly string[] = ['000a', '000d', '005c', 'n', 'r']

/** By what `isInEscape` finds an end that a secret lacks. */
export function keyOfEnd(lacking: string): string {
  return /[;&\\]/.test(lacking) ? anyEscape : lacking.toLowerCase()
}
