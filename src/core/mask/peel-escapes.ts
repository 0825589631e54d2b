import { hex, noDigit } from './alphabets.ts'
import { type Layer, textOf } from './layer.ts'

const percent = 0x25
const ampersand = 0x26
const semicolon = 0x3b
const backslash = 0x5c
const lineFeed = 0x0a
const letterN = 0x6e
const letterR = 0x72
const letterU = 0x75
const letterX = 0x78

/** No escape is longer. */
const longestEscape = 10
const named = new Map(Object.entries({ amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27 }))

/** A text without its escapes. */
export interface Peeled extends Layer {
  /** Whether each character of the text stays as it is. */
  readonly isPlain: Uint8Array
}

/** What is left out behind a line break, what an escape begins with, and what is always left out. */
const [blank, sign, lineBreak] = [1, 2, 3]
const kinds = new Uint8Array(0x1_00_00)
for (const [at, characters] of [' \t', '%&\\', '\r\n'].entries())
  for (const character of characters) kinds[character.charCodeAt(0)] = at + 1

/**
 * The text without the escapes of addresses, JSON, source code and HTML, without line breaks and the blanks behind
 * them, and without backslashes; nothing where it has none. An escape that is written in escapes is replaced in its
 * place, so the time grows with the length of the text alone.
 */
export function peelEscapes({ codes: text, sourceOf }: Layer): Peeled | undefined {
  let first = 0
  while (first < text.length && (kinds[text[first] as number] as number) < sign) first++
  if (first === text.length) return undefined
  const codes = new Uint16Array(text.length)
  /** Where each character that is left begins and ends in the text. */
  const begins = new Int32Array(text.length + 1)
  const ends = new Int32Array(text.length + 1)
  const isPlain = new Uint8Array(text.length)
  let length = 0
  /** The number of characters that stay as they are now. */
  let kept = 0
  /** No sign has come behind this place: what is further away can complete no escape. */
  let lastSign = -longestEscape
  let lineStart = -1
  for (let at = 0; ; at++) {
    if (at === text.length || (length - lastSign > longestEscape && length !== lineStart)) {
      const until = length
      // A secret is known without the backslashes that are left, too.
      for (length = kept; kept < until; kept++) {
        if (codes[kept] === backslash) continue
        codes[length] = codes[kept] as number
        begins[length] = begins[kept] as number
        ends[length] = ends[kept] as number
        if (sizeAt(length, begins, ends) === 1) isPlain[begins[length] as number] = 1
        length++
      }
      for (; at < text.length && (kinds[text[at] as number] as number) < sign; at++) {
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
    while (kinds[code] !== lineBreak && !(kinds[code] === blank && length === lineStart)) {
      if (kinds[code] === sign) lastSign = length
      codes[length] = code
      begins[length] = begin
      ends[length++] = at + 1
      if (length - lastSign > longestEscape) break
      const from = signBefore(codes, length - 1)
      // Two backslashes that are written in the same way are one.
      const isPair = code !== backslash || sizeAt(from, begins, ends) === sizeAt(length - 1, begins, ends)
      const meant = from < 0 || !isPair ? -1 : meaningOf(codes, from, length)
      if (meant < 0) break
      // What it means can be the end of another escape.
      length = from
      begin = begins[from] as number
      code = meant
      if (code <= 0xff_ff) continue
      codes[length] = 0xd8_00 + ((code - 0x1_00_00) >> 10)
      ends[length++] = at + 1
      code = 0xdc_00 + (code & 0x3_ff)
    }
    if (kinds[code] === lineBreak) lineStart = length
  }
  begins[length] = ends[length] = text.length
  return {
    codes: codes.subarray(0, length),
    sourceOf: (start, end) => sourceOf(begins[start] ?? 0, ends[end - 1] ?? 0),
    written: { codes: text, begins, ends },
    isPlain,
  }
}

/** How many characters it was written in. */
function sizeAt(at: number, begins: Int32Array, ends: Int32Array): number {
  return (ends[at] ?? 0) - (begins[at] ?? 0)
}

/** The last sign before this place; -1 where none is near enough. */
function signBefore(codes: Uint16Array, place: number): number {
  const least = Math.max(0, place + 1 - longestEscape)
  for (let at = place - 1; at >= least; at--) if (kinds[codes[at] as number] === sign) return at
  return -1
}

/** The character that the escape from a sign to the last of these characters means; -1 where it is none. */
function meaningOf(codes: Uint16Array, from: number, length: number): number {
  const last = codes[length - 1] as number
  const size = length - from
  if (codes[from] === percent) return size === 3 ? numberOf(codes, from + 1, length) : -1
  if (codes[from] === ampersand)
    return last === semicolon ? entityOf(textOf(codes, from + 1, length - 1).toLowerCase()) : -1
  if (size === 2) return last === letterN || last === letterR ? lineFeed : last === backslash ? last : -1
  const letter = (codes[from + 1] as number) | 0x20
  return (size === 4 && letter === letterX) || (size === 6 && letter === letterU)
    ? numberOf(codes, from + 2, length)
    : -1
}

function numberOf(codes: Uint16Array, from: number, to: number): number {
  let code = 0
  for (let at = from; at < to; at++) {
    const digit = hex.digits[codes[at] as number] as number
    if (digit === noDigit) return -1
    code = code * 16 + digit
  }
  return code
}

function entityOf(name: string): number {
  const meant = named.get(name) ?? (/^#(?:\d+|x[0-9a-f]+)$/.test(name) ? Number(`0${name.slice(1)}`) : 0)
  return meant > 0 && meant <= 0x10_ff_ff ? meant : -1
}
