/** A way to write bytes in digits. */
export interface Alphabet {
  /** How many bits each digit has, and how many half characters it takes. */
  readonly bits: number
  readonly halves: number
  /** The value of each character. */
  readonly digits: Uint8Array
}

/** The value of a character that is no digit. */
export const noDigit = 0xff

/** The characters in their order, in each way that they are written. */
function alphabet(bits: number, ...written: readonly string[]): Alphabet {
  const digits = new Uint8Array(0x1_00_00).fill(noDigit)
  for (const characters of written)
    for (let at = 0; at < characters.length; at++) digits[characters.charCodeAt(at)] = at
  return { bits, digits, halves: 2 }
}

const letters = 'abcdefghijklmnopqrstuvwxyz'
const capitals = letters.toUpperCase()
const alphanumeric = `${capitals}${letters}0123456789`

/** Base64 and base64url together, since they differ in two characters that mean the same here. */
export const base64: Alphabet = alphabet(6, `${alphanumeric}+/`, `${alphanumeric}-_`)
/** In one case. Each digit is one of base64, too. */
export const base32: readonly Alphabet[] = [alphabet(5, `${capitals}234567`), alphabet(5, `${letters}234567`)]
export const hex: Alphabet = alphabet(4, '0123456789abcdef', '0123456789ABCDEF')
/** Pairs of hex digits with the same sign between them: `4f:70`, `4f-70`, `4f 70`, in a form `4f+70`. */
export const pairs: Alphabet = { ...alphabet(4, '0123456789abcdef:- +', '0123456789ABCDEF'), halves: 3 }
