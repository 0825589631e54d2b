import { type Layer, textOf } from './layer.ts'

/** An alphabet in which bytes are written. */
interface Alphabet {
  readonly bits: number
  /** From how many of the first characters it is decoded: what comes before encoded text can be of the same alphabet. */
  readonly group: number
  /** The value of each character; none for any other one. */
  readonly digits: Uint8Array
  /** Codes from this one on are letters. A run without any letter is left out: of text, only hex can be one. */
  readonly letter: number
}

const none = 255

/** The characters in their order, and others from a value on. */
function alphabet(bits: number, group: number, characters: string, others = '', first = 0): Alphabet {
  const digits = new Uint8Array(128).fill(none)
  for (const [at, character] of [...characters].entries()) digits[character.charCodeAt(0)] = at
  for (const [at, character] of [...others].entries()) digits[character.charCodeAt(0)] = first + at
  return { bits, group, digits, letter: bits === 4 ? 0 : 0x41 }
}

const letters = 'abcdefghijklmnopqrstuvwxyz'
const capitals = letters.toUpperCase()

/** Base64 and base64url together, since they differ in two characters that mean the same here. Base32 has one case. */
const alphabets: readonly Alphabet[] = [
  alphabet(6, 4, `${capitals}${letters}0123456789+/`, '-_', 62),
  alphabet(5, 8, `${capitals}234567`),
  alphabet(5, 8, `${letters}234567`),
  alphabet(4, 2, '0123456789abcdef', 'ABCDEF', 10),
]
const hex = alphabets[3] as Alphabet

/** A part of a run that was decoded to text. */
interface Piece {
  /** Where it begins in the decoded text. */
  readonly begin: number
  /** Of the run: where it begins, and how many characters each digit takes there. */
  readonly index: number
  readonly stride: number
  readonly bits: number
  /** How many characters of the run, and then bytes, come before it. */
  readonly from: number
  readonly skipped: number
}

/** Separates two pieces, and is part of no secret. */
const between = '\uffff'

/**
 * All text of at least this many bytes that runs of base64, base32 and hex hold, each byte as a character; nothing
 * where they hold none. Each alignment is decoded, since a path, a word or a number can come before encoded text.
 */
export function decodeRuns({ text, sourceOf }: Layer, shortest: number): Layer | undefined {
  const pieces: Piece[] = []
  const texts: string[] = []
  let length = 0
  const decode = (
    run: Uint8Array,
    index: number,
    stride: number,
    { bits, group, digits }: Alphabet,
  ): void => {
    const bytes = new Uint8Array((run.length * bits) >> 3)
    const before = texts.length
    for (let from = 0; from < group; from++)
      decodeText(run, from, { bits, digits, shortest }, bytes, (start, end) => {
        const piece = textOf(bytes.subarray(start, end))
        // A run that repeats one character says the same from each position.
        if (from > 0 && end - start > bytes.length - 4 && texts[before]?.startsWith(piece)) return
        pieces.push({ begin: length, index, stride, bits, from, skipped: start })
        texts.push(piece)
        length += piece.length + between.length
      })
  }
  const codes = asciiOf(text)
  for (const one of alphabets)
    eachRun(codes, one, shortest, (start, end) => decode(codes.subarray(start, end), start, 1, one))
  eachSpacedRun(codes, shortest, (start, end) =>
    decode(withoutEveryThird(codes.subarray(start, end)), start, 1.5, hex),
  )
  if (pieces.length === 0) return undefined
  return {
    text: texts.join(between),
    sourceOf(start, end) {
      const { begin, index, stride, bits, from, skipped } = pieceAt(pieces, start)
      const first = from + Math.floor(((start - begin + skipped) * 8) / bits)
      const last = from + Math.ceil(((end - begin + skipped) * 8) / bits) - 1
      return sourceOf(index + Math.floor(first * stride), index + Math.floor(last * stride) + 1)
    },
  }
}

/** The codes of the characters, 0 for those that are in no alphabet. */
function asciiOf(text: string): Uint8Array {
  const codes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    codes[at] = code < 128 ? code : 0
  }
  return codes
}

/** Visits runs that can hold this many bytes. */
function eachRun(
  codes: Uint8Array,
  { bits, digits, letter }: Alphabet,
  bytes: number,
  visit: (start: number, end: number) => void,
): void {
  const least = Math.ceil((bytes * 8) / bits)
  let start = 0
  let hasLetter = false
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] as number
    if (digits[code] === none) {
      if (at - start >= least && hasLetter) visit(start, at)
      start = at + 1
      hasLetter = false
    } else if (code >= letter) hasLetter = true
  }
  if (codes.length - start >= least && hasLetter) visit(start, codes.length)
}

/** Visits pairs of hex digits with the same sign between them: `4f:70`, `4f-70`, `4f 70`. */
function eachSpacedRun(codes: Uint8Array, bytes: number, visit: (start: number, end: number) => void): void {
  const isHex = (at: number): boolean => hex.digits[codes[at] ?? 0] !== none
  for (let at = 2; at < codes.length; at++) {
    const sign = codes[at]
    if (sign !== 0x3a && sign !== 0x2d && sign !== 0x20) continue
    const start = at - 2
    let end = start
    while (isHex(end) && isHex(end + 1)) {
      end += 3
      if (codes[end - 1] !== sign) break
    }
    if (end - start >= 3 * bytes) visit(start, Math.min(end - 1, codes.length))
    // The last pair can be the first one of a run with another sign.
    at = Math.max(at, end - 2)
  }
}

function withoutEveryThird(codes: Uint8Array): Uint8Array {
  const kept = new Uint8Array(codes.length - Math.floor(codes.length / 3))
  for (let at = 0, to = 0; at < codes.length; at++) if (at % 3 !== 2) kept[to++] = codes[at] as number
  return kept
}

/** What a byte is in UTF-8: how many more its character has, or one of the two below. */
const inside = 4
const noText = 5
const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < 0x80) return byte >= 0x20 || byte === 9 || byte === 10 || byte === 13 ? 0 : noText
  if (byte < 0xc0) return inside
  return byte < 0xc2 || byte > 0xf4 ? noText : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
})

/**
 * Decodes a run from one of its characters into `bytes`. Reports the parts that are UTF-8 without control characters
 * and have at least `shortest` bytes. Bytes at random are that nearly never.
 */
function decodeText(
  run: Uint8Array,
  from: number,
  { bits, digits, shortest }: Pick<Alphabet, 'bits' | 'digits'> & { readonly shortest: number },
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
    value = ((value << bits) | (digits[run[place] as number] as number)) & 0xffff
    have += bits
    if (have < 8) continue
    have -= 8
    const byte = (value >> have) & 0xff
    const kind = kinds[byte] as number
    bytes[at] = byte
    if (open === 0 ? kind < inside : kind === inside) open = open === 0 ? kind : open - 1
    else {
      if (at - start >= shortest) found(start, at)
      start = kind >= inside ? at + 1 : at
      open = kind >= inside ? 0 : kind
    }
    at++
  }
  if (at - start >= shortest) found(start, at)
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
