import type { Alphabet } from './alphabets.ts'
import type { Layer, Span } from './layer.ts'
import { shortestAnywhere } from './secret-index.ts'

/** Digits that follow each other. */
export interface DigitRun extends Span {
  readonly layer: Layer
  readonly alphabet: Alphabet
}

/** The texts of many runs, one behind the other. */
export interface Texts {
  /** Each byte as a character. */
  codes: Uint16Array
  /** Where each text is, in their order. */
  readonly held: HeldText[]
  /** The bytes of one run. */
  readonly bytes: Uint8Array
  length: number
  /** Texts that are shorter are left out. */
  readonly shortest: number
}

/** A text in a run. */
interface HeldText {
  readonly run: DigitRun
  /** Where it begins in `codes`. */
  readonly begin: number
  /** With which bits of the run it begins: a byte that repeats itself is the same in more than one alignment. */
  first: number
  last: number
}

/** Where texts have no such byte; as a character it separates two texts, and is part of no secret. */
const noText = 0xff_ff
/** How a text can continue: 256 for each byte that its character lacks, plus the next byte, gives the same for the rest. */
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
export function decodeTexts(run: DigitRun, until: number, texts: Texts): void {
  const { start, end, alphabet } = run
  const { bits, halves } = alphabet
  const { bytes, shortest } = texts
  const all = Math.ceil((2 * (end - start)) / halves) * bits
  const begun = Math.ceil((2 * (until - start)) / halves) * bits
  const last = Math.min(all - 8 * shortest, begun - 1)
  readBytes(run, bytes)
  // Each digit can be the first one, and its first bit the first of a byte.
  for (let shift = 0; shift < 8; shift += bits & -bits)
    for (let bit = shift; bit <= last; ) {
      const next = nextBegin(bytes, bit, shortest)
      if (next > bit) bit = next
      else {
        const length = copyText(bytes, bit, all, texts)
        if (length >= shortest) addText(texts, run, length, bit)
        bit += 8 * Math.max(length, 1)
      }
    }
}

/** The part of the first text in which a part of the texts was written. */
export function sourceOf({ held }: Texts, start: number, end: number): Span {
  let from = 0
  for (let to = held.length; to - from > 1; ) {
    const middle = (from + to) >> 1
    if ((held[middle] as HeldText).begin <= start) from = middle
    else to = middle
  }
  const { run, begin, first, last } = held[from] as HeldText
  const { bits, halves } = run.alphabet
  const placeOf = (bit: number): number => run.start + ((Math.floor(bit / bits) * halves) >> 1)
  const until = placeOf((end - begin) * 8 + last - 1) + 1
  return run.layer.sourceOf(placeOf((start - begin) * 8 + first), Math.min(until, run.end))
}

/** Reads the bytes of a run, from its first bit on. */
function readBytes({ layer, start, end, alphabet }: DigitRun, bytes: Uint8Array): void {
  const { codes } = layer
  const { bits, halves, digits } = alphabet
  let size = 0
  // The bits that were read, and how many of them are left.
  let read = 0
  let left = 0
  for (let half = 2 * start; half < 2 * end; half += halves) {
    read = (read << bits) | (digits[codes[half >> 1] as number] as number)
    left += bits
    if (left < 8) continue
    left -= 8
    bytes[size++] = read >> left
  }
  bytes[size] = read << (8 - left)
}

/** The byte that begins with this bit. */
function byteAt(bytes: Uint8Array, bit: number): number {
  const at = bit >> 3
  return ((((bytes[at] as number) << 8) | (bytes[at + 1] as number)) >> (8 - (bit & 7))) & 0xff
}

/** Where the next text of the shortest length can begin: the last bytes of most are none of a text. */
function nextBegin(bytes: Uint8Array, bit: number, shortest: number): number {
  let at = bit + 8 * (shortest - 1)
  const last = Math.max(bit, at - 56)
  for (let state = 0; at >= last; at -= 8) {
    state = before[state + byteAt(bytes, at)] as number
    if (state === noText) return at + 8
  }
  return bit
}

/** Copies the text that begins with this bit behind the others, and returns its length. */
function copyText(bytes: Uint8Array, bit: number, all: number, texts: Texts): number {
  let { codes, length } = texts
  const most = length + ((all - bit) >> 3)
  if (most >= codes.length) {
    codes = new Uint16Array(2 * most)
    codes.set(texts.codes.subarray(0, length))
    texts.codes = codes
  }
  for (let state = 0; length < most; length++) {
    const byte = byteAt(bytes, bit + 8 * (length - texts.length))
    state = behind[state + byte] as number
    if (state === noText) break
    codes[length] = byte
  }
  return length - texts.length
}

/** Adds what was copied. Of two alignments that hold the same, or the begin of it, the longer text is kept. */
function addText(texts: Texts, run: DigitRun, length: number, bit: number): void {
  const { codes, held, length: begin } = texts
  codes[begin + length] = noText
  const other = held.at(-1)
  if (other?.run === run && Math.abs(bit - other.first) < 8) {
    let same = 0
    while (same < length && codes[other.begin + same] === codes[begin + same]) same++
    const isLonger = codes[other.begin + same] === noText
    if (same >= shortestAnywhere && (isLonger || same === length)) {
      other.first = Math.min(other.first, bit)
      other.last = Math.max(other.last, bit)
      if (isLonger) codes.copyWithin(other.begin + same, begin + same, begin + length + 1)
      texts.length = Math.max(begin, other.begin + length + 1)
      return
    }
  }
  held.push({ run, begin, first: bit, last: bit })
  texts.length = begin + length + 1
}
