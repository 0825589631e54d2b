import { type EscapedText, type Layer, textOf } from './layer.ts'

const percent = 0x25
const ampersand = 0x26
const semicolon = 0x3b
const backslash = 0x5c
const lineFeed = 0x0a
const carriageReturn = 0x0d
const letterN = 0x6e
const letterR = 0x72

/** No escape is longer. */
const longestEscape = 10
const named = new Map(Object.entries({ amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27 }))
/** An escape that was found is one number: its length, and in the lower bits the character that it means. */
const codeBits = 21
const mostCode = 2 ** codeBits - 1

/** A text without its escapes. */
export interface Peeled extends Layer {
  /** Whether each character of the text stays as it is. */
  readonly isPlain: Uint8Array
}

/** What an escape begins with, or what is left out. */
const signs = new Uint8Array(0x1_00_00)
for (const sign of '%&\\\r\n') signs[sign.charCodeAt(0)] = 1

/**
 * The text without the escapes of addresses, JSON, source code and HTML, without line breaks and the blanks behind
 * them, and without backslashes; nothing where it has none. An escape that is written in escapes is replaced in its
 * place, so the time grows with the length of the text alone.
 */
export function peelEscapes({ codes: text, sourceOf }: Layer): Peeled | undefined {
  let first = 0
  while (first < text.length && signs[text[first] as number] === 0) first++
  if (first === text.length) return undefined
  const codes = new Uint16Array(text.length)
  /** Where each character that is left begins and ends in the text. */
  const begins = new Int32Array(text.length + 1)
  const ends = new Int32Array(text.length + 1)
  const isPlain = new Uint8Array(text.length)
  const peeled = { codes, begins, ends, isPlain }
  let length = 0
  /** The number of characters that stay as they are now. */
  let kept = 0
  /** No sign has come behind this place: what is further away can complete no escape. */
  let lastSign = -longestEscape
  let lineStart = -1
  for (let at = 0; at < text.length; at++) {
    if (length - lastSign > longestEscape && length !== lineStart) {
      length = withoutBackslashes(peeled, kept, length)
      for (; at < text.length && signs[text[at] as number] === 0; at++) {
        isPlain[at] = 1
        codes[length] = text[at] as number
        begins[length] = at
        ends[length++] = at + 1
      }
      if (at === text.length) break
      kept = length
      lineStart = -1
    }
    let code = text[at] as number
    let begin = at
    // Encoded text is often broken into lines, and they are indented.
    while (!isLineBreak(code) && !(length === lineStart && isBlank(code))) {
      if (signs[code] !== 0) lastSign = length
      codes[length] = code
      begins[length] = begin
      ends[length] = at + 1
      length++
      let found = 0
      if (code === backslash) {
        const last = length - 1
        // Two backslashes that are written in the same way are one.
        if (codes[last - 1] === backslash && sizeAt(last - 1, begins, ends) === sizeAt(last, begins, ends))
          found = (2 << codeBits) | backslash
      } else if (length - lastSign <= longestEscape) found = escapeAtEnd(codes, length)
      if (found === 0) break
      // What it means can be the end of another escape.
      length -= found >>> codeBits
      begin = begins[length] as number
      code = found & mostCode
      if (code <= 0xff_ff) continue
      codes[length] = 0xd8_00 + ((code - 0x1_00_00) >> 10)
      ends[length] = at + 1
      length++
      code = 0xdc_00 + (code & 0x3_ff)
    }
    if (isLineBreak(code)) lineStart = length
  }
  length = withoutBackslashes(peeled, kept, length)
  begins[length] = ends[length] = text.length
  return {
    codes: codes.subarray(0, length),
    sourceOf: (start, end) => sourceOf(begins[start] ?? 0, ends[end - 1] ?? 0),
    written: { codes: text, begins, ends },
    isPlain,
  }
}

/** Drops the backslashes that are left from here on, and returns the new end: a secret is known without them, too. */
function withoutBackslashes(
  { codes, begins, ends, isPlain }: EscapedText & Pick<Peeled, 'isPlain'>,
  from: number,
  to: number,
): number {
  let length = from
  for (let at = from; at < to; at++) {
    if (codes[at] === backslash) continue
    codes[length] = codes[at] as number
    begins[length] = begins[at] as number
    ends[length] = ends[at] as number
    if (sizeAt(length, begins, ends) === 1) isPlain[begins[length] as number] = 1
    length++
  }
  return length
}

/** How many characters it was written in. */
function sizeAt(at: number, begins: Int32Array, ends: Int32Array): number {
  return (ends[at] ?? 0) - (begins[at] ?? 0)
}

function isLineBreak(code: number): boolean {
  return code === lineFeed || code === carriageReturn
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/** The escape that the last of these characters completes; 0 where there is none. */
function escapeAtEnd(codes: Uint16Array, length: number): number {
  const last = codes[length - 1] as number
  if (last === semicolon) return entityAtEnd(codes, length)
  if (last === letterN || last === letterR)
    return codes[length - 2] === backslash ? (2 << codeBits) | lineFeed : 0
  if (hexDigit(last) < 0) return 0
  if (codes[length - 3] === percent) return numberAtEnd(codes, length, 2, 1)
  if (codes[length - 4] === backslash && isX(codes[length - 3] as number))
    return numberAtEnd(codes, length, 2, 2)
  if (codes[length - 6] === backslash && isU(codes[length - 5] as number))
    return numberAtEnd(codes, length, 4, 2)
  return 0
}

/** The number of the last digits. `sign`: how many characters come before them. */
function numberAtEnd(codes: Uint16Array, length: number, digits: number, sign: number): number {
  let code = 0
  for (let at = length - digits; at < length; at++) {
    const digit = hexDigit(codes[at] as number)
    if (digit < 0) return 0
    code = code * 16 + digit
  }
  return ((digits + sign) << codeBits) | code
}

function entityAtEnd(codes: Uint16Array, length: number): number {
  const least = Math.max(0, length - longestEscape)
  let from = length - 2
  while (from >= least && codes[from] !== ampersand) from--
  if (from < least) return 0
  const name = textOf(codes, from + 1, length - 1).toLowerCase()
  const meant = named.get(name) ?? (/^#(?:\d+|x[0-9a-f]+)$/.test(name) ? Number(`0${name.slice(1)}`) : 0)
  return meant > 0 && meant <= 0x10_ff_ff ? ((length - from) << codeBits) | meant : 0
}

const isX = (code: number): boolean => (code | 0x20) === 0x78
const isU = (code: number): boolean => (code | 0x20) === 0x75

/** The value of a hex digit, or -1. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
