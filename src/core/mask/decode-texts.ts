/** Digits that follow each other. */
export interface DigitRun {
  readonly source: Uint16Array
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

/** The texts of many runs, one behind the other. */
export interface Texts {
  /** Each byte as a character. */
  codes: Uint16Array
  /** Where each is in the text that was decoded: eight times its begin, and how many characters it takes. */
  sources: Int32Array
  length: number
  /** Texts that are shorter are left out. */
  readonly shortest: number
}

/** Of a byte that texts do not have there. */
const noText = 0xff_ff
/** Separates two texts, and is part of no secret. */
const between = 0xff_ff

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
  const { start, end, bits, halves } = run
  const { shortest } = texts
  const all = Math.ceil((2 * (end - start)) / halves) * bits
  const begun = Math.ceil((2 * (until - start)) / halves) * bits
  /** The byte of which the whole run consists in one alignment, or none. */
  let repeated = noText
  // Each digit can be the first one, and its first bit the first of a byte.
  for (let shift = 0; shift < 8; shift += bits & -bits) {
    const bytes = (all - shift) >> 3
    // Where it turns into itself, this alignment holds the same text.
    if (repeated === byteAt(run, shift) && repeated === byteAt(run, shift + bytes * 8 - 8)) continue
    const last = Math.min(bytes - shortest, (begun - shift - 1) >> 3)
    for (let from = 0; from <= last; ) {
      const begin = texts.length
      const next = nextBegin(run, shift, from, shortest)
      from = next > from ? next : copyText(run, shift, from, bytes, texts)
      if (texts.length - begin > bytes) repeated = repeatedIn(texts.codes, begin, bytes)
    }
  }
}

/** Where the next text of the shortest length can begin: the last bytes of most are none of a text. */
function nextBegin(run: DigitRun, shift: number, from: number, shortest: number): number {
  let at = from + shortest - 1
  const last = Math.max(from, at - 7)
  for (let state = 0; at >= last; at--) {
    state = before[state + byteAt(run, at * 8 + shift)] as number
    if (state === noText) return at + 1
  }
  return from
}

/** Copies the text that begins there behind the others, and returns where another one can begin. */
function copyText(run: DigitRun, shift: number, from: number, bytes: number, texts: Texts): number {
  const { source, start, bits, halves, digits } = run
  const { shortest, length: begin } = texts
  if (begin + bytes - from >= texts.codes.length) makeRoom(texts, bytes - from + 1)
  const { codes, sources } = texts
  let digit = Math.floor((from * 8 + shift) / bits)
  // The bits that were read, and how many of them are left.
  let read = 0
  let left = digit * bits - from * 8 - shift
  let at = from
  let length = begin
  for (let state = 0; at < bytes; at++) {
    const first = left > 0 ? digit - 1 : digit
    for (; left < 8; left += bits, digit++)
      read = (read << bits) | (digits[source[start + ((digit * halves) >> 1)] as number] as number)
    left -= 8
    const byte = (read >> left) & 0xff
    state = behind[state + byte] as number
    if (state === noText) break
    codes[length] = byte
    const place = (first * halves) >> 1
    sources[length++] = (start + place) * 8 + (((digit - 1) * halves) >> 1) + 1 - place
  }
  if (length - begin >= shortest) {
    codes[length] = between
    texts.length = length + 1
  }
  return Math.max(at, from + 1)
}

/** The byte that begins with this bit of the run. */
function byteAt({ source, start, bits, perBit, halves, digits }: DigitRun, bit: number): number {
  // Times, since a division takes longer: half a bit more keeps it exact.
  const digit = Math.floor((bit + 0.5) * perBit)
  const place = start + ((digit * halves) >> 1)
  const next = start + (((digit + 1) * halves) >> 1)
  const two =
    ((digits[source[place] as number] as number) << bits) | (digits[source[next] as number] as number)
  const spare = (digit + 2) * bits - bit - 8
  if (spare >= 0) return (two >> spare) & 0xff
  return ((two << -spare) | ((digits[source[next + 1] as number] as number) >> (bits + spare))) & 0xff
}

function makeRoom(texts: Texts, more: number): void {
  const { codes, sources, length } = texts
  const room = Math.max(length + more, 2 * codes.length)
  texts.codes = new Uint16Array(room)
  texts.codes.set(codes.subarray(0, length))
  texts.sources = new Int32Array(room)
  texts.sources.set(sources.subarray(0, length))
}

/** The code that all of these are. */
function repeatedIn(codes: Uint16Array, begin: number, length: number): number {
  for (let at = begin + 1; at < begin + length; at++) if (codes[at] !== codes[begin]) return noText
  return codes[begin] as number
}
