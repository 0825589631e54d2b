import type { Layer } from './layer.ts'
import { shortestAnywhere } from './secret-index.ts'

/** Digits that follow each other. */
export interface Run {
  readonly layer: Layer
  readonly start: number
  readonly end: number
  /** How many bits each digit has, and how many half characters it takes. */
  readonly bits: number
  readonly halves: number
  /** How many digits each bit has. */
  readonly perBit: number
  /** The value of each character. */
  readonly digits: Uint8Array
}

/** A text that a run holds. */
interface Piece {
  readonly run: Run
  /** Where it begins in all texts. */
  readonly begin: number
  /** The bit of the run that it begins with. */
  readonly bit: number
}

/** The texts of many runs, one behind the other. */
export interface Texts {
  codes: Uint16Array
  length: number
  readonly pieces: Piece[]
  /** Texts that are shorter are left out. */
  readonly shortest: number
}

/** Of a byte that texts do not have there. */
const noText = 0xff_ff
/** Separates two texts, and is part of no secret. */
const between = 0xff_ff

/** What a text can go on with: 256 for each byte that its character lacks, plus the next byte, gives the same for the rest. */
const behind = new Uint16Array(4 * 256).fill(noText)
/** The same from the end, for each byte that its character has; 1,024 more where all of that character is known. */
const before = new Uint16Array(8 * 256).fill(noText)
for (let byte = 0; byte < 0xf5; byte++) {
  const isControl = byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13
  const lacking = byte < 0xc2 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
  if (byte >= 0x80 && byte < 0xc0)
    for (let has = 0; has < 3; has++) {
      behind[(has + 1) * 256 + byte] = has * 256
      for (const whole of [0, 1024]) before[whole + has * 256 + byte] = whole + (has + 1) * 256
    }
  else if (!isControl && byte !== 0xc0 && byte !== 0xc1) {
    behind[byte] = lacking * 256
    before[1024 + lacking * 256 + byte] = 1024
    for (let has = 0; has <= lacking; has++) before[has * 256 + byte] = 1024
  }
}

/** Adds each text of a run that begins before this place: UTF-8 without control characters. */
export function decodeTexts(run: Run, until: number, texts: Texts): void {
  const { start, end, bits, halves } = run
  const { shortest, pieces } = texts
  const all = Math.ceil((2 * (end - start)) / halves) * bits
  // Short secrets are words, and what comes before a word can be one character.
  const begun = Math.ceil((2 * (until - start)) / halves) * bits + (shortest < shortestAnywhere ? 32 : 0)
  const first = texts.length
  // Each digit can be the first one, and its first bit the first of a byte.
  for (let shift = 0; shift < 8; shift += bits & -bits) {
    const bytes = (all - shift) >> 3
    const last = Math.min(bytes - shortest, (begun - shift - 1) >> 3)
    for (let from = 0; from <= last; ) {
      const next = nextBegin(run, shift, from, shortest)
      if (next > from) {
        from = next
        continue
      }
      const begin = texts.length
      const length = copyText(run, shift, from, bytes, texts)
      from += Math.max(length, 1)
      if (length < shortest) continue
      // A run that repeats itself holds the same text in another alignment.
      if (length === bytes && begin > first && isRepeated(texts.codes, first, begin, length)) continue
      pieces.push({ run, begin, bit: (from - length) * 8 + shift })
      texts.codes[begin + length] = between
      texts.length += length + 1
    }
  }
}

/** Where the next text of the shortest length can begin: the last bytes of most are none of a text. */
function nextBegin(run: Run, shift: number, from: number, shortest: number): number {
  let at = from + shortest - 1
  const last = Math.max(from, at - 7)
  for (let state = 0; at >= last; at--) {
    state = before[state + byteAt(run, at * 8 + shift)] as number
    if (state === noText) return at + 1
  }
  return from
}

/** Copies the text that begins there behind the others, and returns its length. */
function copyText(run: Run, shift: number, from: number, bytes: number, texts: Texts): number {
  const {
    layer: { codes: source },
    start,
    bits,
    halves,
    digits,
  } = run
  const begin = texts.length
  if (begin + bytes - from >= texts.codes.length) makeRoom(texts, bytes - from + 1)
  const { codes } = texts
  let digit = Math.floor((from * 8 + shift) / bits)
  // The bits that were read, and how many of them are left.
  let read = 0
  let left = digit * bits - from * 8 - shift
  let state = 0
  for (let at = from; at < bytes; at++) {
    for (; left < 8; left += bits, digit++)
      read = (read << bits) | (digits[source[start + ((digit * halves) >> 1)] as number] as number)
    left -= 8
    const byte = (read >> left) & 0xff
    state = behind[state + byte] as number
    if (state === noText) return at - from
    codes[begin + at - from] = byte
  }
  return bytes - from
}

/** The byte that begins with this bit of the run. */
function byteAt({ layer: { codes }, start, bits, perBit, halves, digits }: Run, bit: number): number {
  // Times, since a division takes longer: half a bit more keeps it exact.
  const digit = Math.floor((bit + 0.5) * perBit)
  const place = start + ((digit * halves) >> 1)
  const next = start + (((digit + 1) * halves) >> 1)
  const two = ((digits[codes[place] as number] as number) << bits) | (digits[codes[next] as number] as number)
  const spare = (digit + 2) * bits - bit - 8
  if (spare >= 0) return (two >> spare) & 0xff
  return ((two << -spare) | ((digits[codes[next + 1] as number] as number) >> (bits + spare))) & 0xff
}

function makeRoom(texts: Texts, more: number): void {
  const { codes, length } = texts
  texts.codes = new Uint16Array(Math.max(length + more, 2 * codes.length))
  texts.codes.set(codes.subarray(0, length))
}

/** Whether both places hold the same codes. */
function isRepeated(codes: Uint16Array, one: number, other: number, length: number): boolean {
  for (let at = 0; at < length; at++) if (codes[one + at] !== codes[other + at]) return false
  return true
}

/** The texts, each byte as a character. */
export function layerOfTexts({ codes, length, pieces }: Texts): Layer {
  return {
    codes: codes.subarray(0, length - 1),
    sourceOf(start, end) {
      const { run, begin, bit } = pieceAt(pieces, start)
      const placeOf = (digit: number): number => run.start + ((digit * run.halves) >> 1)
      const first = Math.floor(((start - begin) * 8 + bit) / run.bits)
      const last = Math.ceil(((end - begin) * 8 + bit) / run.bits) - 1
      return run.layer.sourceOf(placeOf(first), placeOf(last) + 1)
    },
    isBroken: () => false,
    isEscape: () => false,
  }
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
