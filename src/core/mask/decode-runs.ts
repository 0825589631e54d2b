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

const hex = alphabet(4, '0123456789abcdef', '0123456789ABCDEF')
const alphabets: readonly Alphabet[] = [
  // Base64 and base64url together, since they differ in two characters that mean the same here.
  alphabet(6, `${alphanumeric}+/`, `${alphanumeric}-_`),
  // Base32 in one case.
  alphabet(5, `${capitals}234567`),
  alphabet(5, `${letters}234567`),
  hex,
]

/** Digits that follow each other. */
interface Run {
  readonly start: number
  readonly end: number
  /** How many characters each digit takes. */
  readonly stride: number
  readonly alphabet: Alphabet
}

/** A text that a run holds. */
interface Piece {
  readonly run: Run
  /** Where it begins in the decoded text. */
  readonly begin: number
  /** How many bits of the run come before it. */
  readonly skipped: number
}

/** The texts of many runs, one behind the other. */
interface Decoded {
  codes: Uint16Array
  length: number
  readonly pieces: Piece[]
}

/** Of a byte that texts do not have. */
const noText = 0xff_ff
/** How much a bit takes for one alignment: an eighth of a byte, and its share of what separates pieces. */
const roomOfBit = 0.25
/** Separates two pieces, and is part of no secret. */
const between = 0xff_ff
/** What escapes begin with, and how far before a run, also where a line ends between. */
const signs: ReadonlySet<number> = new Set([...'%&#\\'].map((sign) => sign.charCodeAt(0)))
const longestBeginning = 7

/**
 * All texts of at least this many bytes that runs of digits hold, each byte as a character; nothing where they hold
 * none. Each alignment is decoded, since a path, a word or a number can come before encoded text. `isBehindSign`: only
 * of runs behind a sign of escapes.
 */
export function decodeRuns(
  { codes, sourceOf }: Layer,
  shortest: number,
  { isBehindSign = false }: { readonly isBehindSign?: boolean } = {},
): Layer | undefined {
  const decoded: Decoded = { codes: new Uint16Array(64), length: 0, pieces: [] }
  const packed = new Uint8Array(codes.length + 2)
  const decode = (run: Run): void => {
    if (isBehindSign && !isSignBefore(codes, run.start)) return
    const bits = pack(codes, run, packed)
    const first = decoded.length
    // Each digit can be the first one, and its first bit the first of a byte.
    const step = run.alphabet.bits & -run.alphabet.bits
    makeRoom(decoded, (8 / step) * bits * roomOfBit)
    for (let shift = 0; shift < 8; shift += step) {
      const bytes = (bits - shift) >> 3
      const before = decoded.length
      copyTexts(packed, bytes, shift, shortest, run, decoded)
      // A run that repeats one character is the same with each shift.
      const isWhole = decoded.length - before === bytes + 1
      if (!isWhole || !isRepeated(decoded.codes, first, before, bytes)) continue
      decoded.length = before
      decoded.pieces.pop()
    }
  }
  for (const alphabet of alphabets)
    eachRun(codes, alphabet, shortest, (start, end) => {
      // Without a letter it can only be hex.
      if (alphabet === hex || hasLetter(codes, start, end)) decode({ start, end, stride: 1, alphabet })
    })
  eachSpacedRun(codes, shortest, (start, end) => decode({ start, end, stride: 1.5, alphabet: hex }))
  return decoded.length === 0 ? undefined : layerOf(decoded, sourceOf)
}

function layerOf({ codes, length, pieces }: Decoded, sourceOf: Layer['sourceOf']): Layer {
  return {
    codes: codes.subarray(0, length - 1),
    sourceOf(start, end) {
      const { run, begin, skipped } = pieceAt(pieces, start)
      const first = Math.floor(((start - begin) * 8 + skipped) / run.alphabet.bits)
      const last = Math.ceil(((end - begin) * 8 + skipped) / run.alphabet.bits) - 1
      const placeOf = (digit: number): number => run.start + Math.floor(digit * run.stride)
      return sourceOf(placeOf(first), placeOf(last) + 1)
    },
    isBroken: () => false,
    isEscape: () => false,
  }
}

function isSignBefore(codes: Uint16Array, start: number): boolean {
  for (let at = Math.max(start - longestBeginning, 0); at < start; at++)
    if (signs.has(codes[at] as number)) return true
  return false
}

function makeRoom(decoded: Decoded, more: number): void {
  const { codes, length } = decoded
  if (length + more <= codes.length) return
  decoded.codes = new Uint16Array(Math.max(length + more, 2 * codes.length))
  decoded.codes.set(codes.subarray(0, length))
}

/** Visits runs of digits that can be this many bytes. */
function eachRun(
  codes: Uint16Array,
  { digits, bits }: Alphabet,
  bytes: number,
  visit: (start: number, end: number) => void,
): void {
  const least = Math.ceil((bytes * 8) / bits)
  for (let start = 0; start + least <= codes.length; start++) {
    // From its end, since what begins before another character is skipped without a look.
    let end = start + least
    while (end > start && digits[codes[end - 1] as number] !== none) end--
    if (end > start) {
      start = end - 1
      continue
    }
    end = start + least
    while (end < codes.length && digits[codes[end] as number] !== none) end++
    visit(start, end)
    start = end
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
function pack(codes: Uint16Array, { start, end, stride, alphabet }: Run, packed: Uint8Array): number {
  const { bits, digits } = alphabet
  const isSpaced = stride > 1
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

/** Whether both places hold the same codes. */
function isRepeated(codes: Uint16Array, one: number, other: number, length: number): boolean {
  for (let at = 0; at < length; at++) if (codes[one + at] !== codes[other + at]) return false
  return one < other
}

/** What a text can go on with: 256 for each byte that its character lacks, plus the next byte, gives the same for the rest. */
const states = new Uint16Array(4 * 256).fill(noText)
for (let byte = 0; byte < 256; byte++) {
  const isControl = byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13
  if (byte < 0x80 && !isControl) states[byte] = 0
  if (byte >= 0xc2 && byte <= 0xf4) states[byte] = (byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3) * 256
  if (byte >= 0x80 && byte < 0xc0)
    for (const lacking of [1, 2, 3]) states[lacking * 256 + byte] = (lacking - 1) * 256
}

/** Copies each text of at least `least` bytes: UTF-8 without control characters. Bytes at random nearly never are. */
function copyTexts(
  packed: Uint8Array,
  bytes: number,
  shift: number,
  least: number,
  run: Run,
  to: Decoded,
): void {
  const { codes, pieces } = to
  let start = to.length
  let length = start
  let state = 0
  let bits = packed[0] as number
  for (let at = 0; at <= bytes; at++) {
    bits = (bits << 8) | (packed[at + 1] as number)
    const byte = (bits >> (8 - shift)) & 0xff
    state = at < bytes ? (states[state + byte] as number) : noText
    if (state === noText) {
      if (length - start >= least) {
        pieces.push({ run, begin: start, skipped: (at - (length - start)) * 8 + shift })
        codes[length] = between
        start = length + 1
      }
      length = start
      // It can be the first one of another text.
      state = states[byte] as number
      if (state === noText) {
        state = 0
        continue
      }
    }
    codes[length++] = byte
  }
  to.length = start
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
