import type { Layer } from './layer.ts'

/** An alphabet in which bytes are written. */
interface Alphabet {
  readonly bits: number
  /** The value of each character; `none` for any other one. */
  readonly digits: Uint8Array
}

const none = 255

/** The characters in their order, in each way that they are written. */
function alphabet(bits: number, ...written: readonly string[]): Alphabet {
  const digits = new Uint8Array(0x1_00_00).fill(none)
  for (const characters of written)
    for (let at = 0; at < characters.length; at++) digits[characters.charCodeAt(at)] = at
  return { bits, digits }
}

const letters = 'abcdefghijklmnopqrstuvwxyz'
const capitals = letters.toUpperCase()
const alphanumeric = `${capitals}${letters}0123456789`

/** Base64 and base64url together, since they differ in two characters that mean the same here. */
const base64 = alphabet(6, `${alphanumeric}+/`, `${alphanumeric}-_`)
/** In one case. */
const base32s = [alphabet(5, `${capitals}234567`), alphabet(5, `${letters}234567`)]
const hex = alphabet(4, '0123456789abcdef', '0123456789ABCDEF')

/** A part of a run that was decoded to text. */
interface Piece {
  /** Where it begins in the decoded text. */
  readonly begin: number
  /** Of the run: where it begins, how many characters each digit takes there, and how many bits a digit has. */
  readonly index: number
  readonly stride: number
  readonly bits: number
  /** How many bits of the run come before the piece. */
  readonly skipped: number
}

/** Separates two pieces, and is part of no secret. */
const between = 0xff_ff
/** What escapes begin with, and how far before a run, also where a line ends between. */
const signs: ReadonlySet<number> = new Set([...'%&#\\'].map((sign) => sign.charCodeAt(0)))
const longestBeginning = 7

/**
 * All text of at least this many bytes that runs of base64, base32 and hex hold, each byte as a character; nothing
 * where they hold none. Each alignment is decoded, since a path, a word or a number can come before encoded text.
 * `isBehindSign`: only of runs behind a sign of escapes.
 */
export function decodeRuns(
  { codes, sourceOf }: Layer,
  shortest: number,
  { isBehindSign = false }: { readonly isBehindSign?: boolean } = {},
): Layer | undefined {
  const pieces: Piece[] = []
  let decoded = new Uint16Array(64)
  let length = 0
  const packed = new Uint8Array(codes.length + 2)
  const decode = (start: number, end: number, { bits, digits }: Alphabet, stride = 1): void => {
    const written = pack(codes, start, end, digits, bits, stride > 1, packed)
    const before = length
    const most = length + 2 * written
    if (most > decoded.length) decoded = resized(decoded, 2 * most)
    // Each digit can be the first one, and its first bit the first of a byte.
    for (let shift = 0; shift < 8; shift += bits & -bits) {
      const bytes = (written - shift) >> 3
      for (let from = 0; from + shortest <= bytes; ) {
        const first = skipNoText(packed, from, bytes, shift, shortest)
        from = first + copyText(packed, first, bytes, shift, decoded, length)
        const size = from - first
        // A run that repeats one character is the same with each shift.
        const isWhole = shift > 0 && size === bytes
        if (size < shortest || (isWhole && isRepeated(decoded, before, length, size))) continue
        pieces.push({ begin: length, index: start, stride, bits, skipped: first * 8 + shift })
        length += size
        decoded[length++] = between
      }
    }
  }
  const isWanted = (start: number): boolean =>
    !isBehindSign ||
    codes.subarray(Math.max(start - longestBeginning, 0), start).some((code) => signs.has(code))
  const least = (bits: number): number => Math.ceil((shortest * 8) / bits)
  const decoders = [...base32s, hex].map((inner) => ({
    inner,
    decodeInner: (start: number, end: number): void => {
      if (inner === hex || hasLetter(codes, start, end)) decode(start, end, inner)
    },
  }))
  // All other alphabets are parts of base64. Text without a letter can only be hex.
  eachRun(codes, 0, codes.length, base64, least(6), (start, end) => {
    if (!isWanted(start)) return
    if (hasLetter(codes, start, end)) decode(start, end, base64)
    for (const { inner, decodeInner } of decoders)
      eachRun(codes, start, end, inner, least(inner.bits), decodeInner)
  })
  eachSpacedRun(codes, shortest, (start, end) => {
    if (isWanted(start)) decode(start, end, hex, 1.5)
  })
  if (pieces.length === 0) return undefined
  return {
    codes: decoded.subarray(0, length - 1),
    sourceOf(start, end) {
      const { begin, index, stride, bits, skipped } = pieceAt(pieces, start)
      const first = Math.floor(((start - begin) * 8 + skipped) / bits)
      const last = Math.ceil(((end - begin) * 8 + skipped) / bits) - 1
      return sourceOf(index + Math.floor(first * stride), index + Math.floor(last * stride) + 1)
    },
    isBroken: () => false,
    isEscape: () => false,
  }
}

/** Visits runs of at least `least` characters. */
function eachRun(
  codes: Uint16Array,
  from: number,
  to: number,
  { digits }: Alphabet,
  least: number,
  visit: (start: number, end: number) => void,
): void {
  let start = from
  while (start + least <= to) {
    // From its end, since what begins before another character is skipped without a look.
    let at = start + least - 1
    while (at >= start && digits[codes[at] as number] !== none) at--
    if (at >= start) {
      start = at + 1
      continue
    }
    let end = start + least
    while (end < to && digits[codes[end] as number] !== none) end++
    visit(start, end)
    start = end + 1
  }
}

function hasLetter(codes: Uint16Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((codes[at] as number) >= 0x41) return true
  return false
}

/** Visits pairs of hex digits with the same sign between them: `4f:70`, `4f-70`, `4f 70`, in a form `4f+70`. */
function eachSpacedRun(codes: Uint16Array, bytes: number, visit: (start: number, end: number) => void): void {
  const isHex = (at: number): boolean => hex.digits[codes[at] ?? 0] !== none
  for (let at = 2; at < codes.length; at++) {
    const sign = codes[at]
    if (sign !== 0x3a && sign !== 0x2d && sign !== 0x20 && sign !== 0x2b) continue
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

/** Writes the bits of the digits without gaps, and returns how many they are. */
function pack(
  codes: Uint16Array,
  start: number,
  end: number,
  digits: Uint8Array,
  bits: number,
  isSpaced: boolean,
  packed: Uint8Array,
): number {
  let value = 0
  let have = 0
  let count = 0
  for (let at = start; at < end; at++) {
    value = ((value << bits) | (digits[codes[at] as number] as number)) & 0xffff
    have += bits
    if (have < 8) continue
    have -= 8
    packed[count++] = value >> have
    if (isSpaced) at++
  }
  packed[count] = value << (8 - have)
  return count * 8 + have
}

/** The byte at this place, with all bits shifted. */
function byteAt(packed: Uint8Array, at: number, shift: number): number {
  return ((((packed[at] as number) << 8) | (packed[at + 1] as number)) >> (8 - shift)) & 0xff
}

/** Whether both places hold the same codes. */
function isRepeated(codes: Uint16Array, one: number, other: number, length: number): boolean {
  for (let at = 0; at < length; at++) if (codes[one + at] !== codes[other + at]) return false
  return one < other
}

function resized(codes: Uint16Array, length: number): Uint16Array<ArrayBuffer> {
  const larger = new Uint16Array(length)
  larger.set(codes)
  return larger
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
 * Where at least `least` bytes begin that are UTF-8 without control characters; else the end. Bytes at random nearly
 * never are.
 */
function skipNoText(packed: Uint8Array, from: number, end: number, shift: number, least: number): number {
  let start = from
  while (start + least <= end) {
    // From its end, since what begins before a mistake is skipped without a look.
    let at = start + least - 1
    /** How many bytes of a character were seen, and whether more of it can follow. */
    let seen = 0
    let isLast = true
    for (; at >= start; at--) {
      const kind = kinds[byteAt(packed, at, shift)] as number
      if (kind === inside) seen++
      else if (kind === noText || seen > kind || (seen < kind && !isLast)) break
      else {
        seen = 0
        isLast = false
      }
    }
    if (at < start && seen === 0) return start
    start = Math.max(at + 1, start + seen)
  }
  return end
}

/** Copies bytes as far as they are UTF-8, and returns how many. */
function copyText(
  packed: Uint8Array,
  start: number,
  end: number,
  shift: number,
  to: Uint16Array,
  begin: number,
): number {
  /** How many bytes the character still has. */
  let open = 0
  for (let at = start; at < end; at++) {
    const byte = byteAt(packed, at, shift)
    const kind = kinds[byte] as number
    if (open === 0 ? kind >= inside : kind !== inside) return at - start
    open = open === 0 ? kind : open - 1
    to[begin + at - start] = byte
  }
  return end - start
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
