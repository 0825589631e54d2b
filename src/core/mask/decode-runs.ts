import { type Layer, textOf } from './layer.ts'

/** An alphabet in which bytes are written. */
interface Alphabet {
  readonly bits: number
  /** After this many characters a byte ends with its last one. */
  readonly group: number
  /** The value of each of its characters. */
  readonly digits: Uint8Array
  /** Its runs that can hold this many bytes. */
  readonly runs: (bytes: number) => RegExp
}

const letters = 'abcdefghijklmnopqrstuvwxyz'
const least = (bytes: number, bits: number): number => Math.ceil((bytes * 8) / bits)

/** Base64 and base64url together: they differ in two characters, which mean the same here. */
const base64: Alphabet = {
  bits: 6,
  group: 4,
  digits: digitsOf(`${letters.toUpperCase()}${letters}0123456789+/`, '-_', 62),
  runs: (bytes) => new RegExp(`(?<![\\w+/-])[\\w+/-]{${least(bytes, 6)},}`, 'g'),
}
/** One has letters of one size only. */
const base32: Alphabet = {
  bits: 5,
  group: 8,
  digits: digitsOf(`${letters}234567`, letters.toUpperCase(), 0),
  runs: (bytes) =>
    new RegExp(
      ['A-Z2-7', 'a-z2-7'].map((set) => `(?<![${set}])[${set}]{${least(bytes, 5)},}`).join('|'),
      'g',
    ),
}
/** Pairs of digits, as they are or with one sign between them: `4f:70`, `4f-70`, `4f 70`. */
const hex: Alphabet = {
  bits: 4,
  group: 2,
  digits: digitsOf('0123456789abcdef', 'ABCDEF', 10),
  runs: (bytes) =>
    new RegExp(
      `(?<![0-9a-f])(?:[0-9a-f]{${2 * bytes},}|[0-9a-f]{2}([: -])[0-9a-f]{2}(?:\\1[0-9a-f]{2}){${bytes - 2},})`,
      'gi',
    ),
}

function digitsOf(characters: string, others: string, firstOfOthers: number): Uint8Array {
  const digits = new Uint8Array(128)
  for (const [at, character] of [...characters].entries()) digits[character.charCodeAt(0)] = at
  for (const [at, character] of [...others].entries()) digits[character.charCodeAt(0)] = firstOfOthers + at
  return digits
}

const alphabets = [base64, base32, hex]

/** The patterns of an alphabet, by the number of bytes: there are few. */
const patterns = new Map<string, RegExp>()

function runsIn(
  text: string,
  { bits, runs }: Alphabet,
  bytes: number,
): RegExpStringIterator<RegExpExecArray> {
  const key = `${bits} ${bytes}`
  const pattern = patterns.get(key) ?? runs(bytes)
  patterns.set(key, pattern)
  return text.matchAll(pattern)
}

/** A part of a run that was decoded to text. */
interface Piece {
  /** Where it begins in the decoded text. */
  readonly begin: number
  /** How many bytes of its run come before it, and how many characters before the first of them. */
  readonly skipped: number
  readonly from: number
  readonly bits: number
  /** Where a character of the run stands. */
  readonly place: (digit: number) => number
}

/** Stands between two pieces, and in no secret. */
const between = '\uffff'
/** No run is asked to hold more bytes: that keeps the patterns small. */
const mostBytes = 12

/**
 * All text of at least this many bytes that runs of base64, base32 and hex hold, each byte as a character; nothing
 * where they hold none. Encoded text can begin at any position of a run, so each alignment is decoded.
 */
export function decodeRuns(
  { text, sourceOf }: Layer,
  { shortest, isOutside }: { readonly shortest: number; readonly isOutside: boolean },
): Layer | undefined {
  const pieces: Piece[] = []
  const texts: string[] = []
  let length = 0
  for (const alphabet of alphabets) {
    const { bits, group } = alphabet
    for (const { 0: match, 1: sign, index } of runsIn(text, alphabet, Math.min(shortest, mostBytes))) {
      const run = sign === undefined ? match : match.replaceAll(sign, '')
      // Base32 without any letter is as good as none, and long numbers are many.
      if (alphabet === base32 && !/[a-z]/i.test(run)) continue
      const place = (digit: number): number => index + digit + (sign === undefined ? 0 : digit >> 1)
      const bytes = new Uint8Array((run.length * bits) >> 3)
      // Hex in hex stands at its beginning: so a long number cannot become as much text again.
      for (let from = 0; from < (alphabet === hex && !isOutside ? 1 : group); from++)
        decodeText(run, from, alphabet, bytes, (start, end) => {
          if (end - start < shortest) return
          pieces.push({ begin: length, skipped: start, from, bits, place })
          texts.push(textOf(bytes.subarray(start, end)))
          length += end - start + between.length
        })
    }
  }
  if (pieces.length === 0) return undefined
  return {
    text: texts.join(between),
    sourceOf(start, end) {
      const { begin, skipped, from, bits, place } = pieceAt(pieces, start)
      const first = Math.floor(((start - begin + skipped) * 8) / bits)
      const last = Math.ceil(((end - begin + skipped) * 8) / bits) - 1
      return sourceOf(place(from + first), place(from + last) + 1)
    },
  }
}

/** What a byte is in UTF-8: how many more its character has, or one of the two below. */
const [inside, noText] = [4, 5]
const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < 0x80) return byte >= 0x20 || byte === 9 || byte === 10 || byte === 13 ? 0 : noText
  if (byte < 0xc0) return inside
  return byte < 0xc2 || byte > 0xf4 ? noText : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
})

/**
 * Decodes a run from one of its characters into `bytes`, and reports the parts that are UTF-8 without control
 * characters. Bytes at random are that nearly never.
 */
function decodeText(
  run: string,
  from: number,
  { bits, digits }: Alphabet,
  bytes: Uint8Array,
  found: (start: number, end: number) => void,
): void {
  let value = 0
  let have = 0
  let at = 0
  let start = 0
  /** How many bytes the character still has. */
  let open = 0
  for (let place = from; place < run.length; place++) {
    value = ((value << bits) | (digits[run.charCodeAt(place)] as number)) & 0xffff
    have += bits
    if (have < 8) continue
    have -= 8
    const byte = (value >> have) & 0xff
    const kind = kinds[byte] as number
    if (open > 0 && kind === inside) open--
    else if (open > 0 || kind >= inside) {
      found(start, at)
      start = kind >= inside ? at + 1 : at
      open = kind >= inside ? 0 : kind
    } else open = kind
    bytes[at++] = byte
  }
  found(start, at)
}

/** The piece that this place of the decoded text is in. */
function pieceAt(pieces: readonly Piece[], place: number): Piece {
  let low = 0
  let high = pieces.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((pieces[middle] as Piece).begin <= place) low = middle
    else high = middle - 1
  }
  return pieces[low] as Piece
}
