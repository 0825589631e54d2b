import { type Layer, textOf } from './layer.ts'

const percent = 0x25
const ampersand = 0x26
const semicolon = 0x3b
const backslash = 0x5c
const lineFeed = 0x0a
const carriageReturn = 0x0d
const letterN = 0x6e
const letterR = 0x72

/** What no escape is without. Encoded text is often broken into lines. */
const signs = /[%&\\\r\n]/
const longestEntity = 10
const named: Readonly<Record<string, number>> = { amp: 38, lt: 60, gt: 62, quot: 34, apos: 39 }
/** An escape that was found is one number: its length, and in the lower bits the character that it means. */
const codeBits = 21
const mostCode = 2 ** codeBits - 1

/** How escapes are replaced. */
export interface Peeling {
  /** Also those that other escapes are part of. @default true */
  readonly isNested?: boolean
  /** Line breaks stay, so that the words before and after one are two. @default false */
  readonly keepsBreaks?: boolean
}

/** A text without escapes. */
export interface PeeledText extends Layer {
  /** Some of its escapes had other escapes in them. */
  readonly hadNested: boolean
}

/**
 * The text without the escapes of addresses, JSON, source code and HTML, and without line breaks; nothing where it has
 * none. Of a backslash and a letter the letter is left, but of `\n` and `\r` nothing. An escape that is written in
 * escapes is replaced in its place, so the time grows with the length of the text alone.
 */
export function peelEscapes(
  { text, sourceOf }: Layer,
  { isNested = true, keepsBreaks = false }: Peeling = {},
): PeeledText | undefined {
  if (!signs.test(text)) return undefined
  const codes = new Uint16Array(text.length)
  /** Where each character that is left begins and ends in the text. */
  const begins = new Int32Array(text.length)
  const ends = new Int32Array(text.length)
  let length = 0
  let hadNested = false
  for (let at = 0; at < text.length; at++) {
    let code = text.charCodeAt(at)
    let begin = at
    if (codes[length - 1] === backslash && (code === letterN || code === letterR)) {
      length--
      begin = begins[length] as number
      code = lineFeed
    }
    while (keepsBreaks || (code !== lineFeed && code !== carriageReturn)) {
      codes[length] = code
      begins[length] = begin
      ends[length] = at + 1
      length++
      const found = escapeAtEnd(codes, length)
      const size = found >>> codeBits
      const isInner = at + 1 - (begins[length - size] as number) !== size
      if (found === 0 || (isInner && !isNested)) break
      hadNested ||= isInner
      // What it means can be the end of another escape.
      length -= size
      begin = begins[length] as number
      code = found & mostCode
      if (code <= 0xff_ff) continue
      codes[length] = 0xd8_00 + ((code - 0x1_00_00) >> 10)
      ends[length] = at + 1
      length++
      code = 0xdc_00 + (code & 0x3_ff)
    }
  }
  // A backslash that is left is dropped: a secret is known without it, too.
  let kept = 0
  for (let at = 0; at < length; at++) {
    if (codes[at] === backslash) continue
    codes[kept] = codes[at] as number
    begins[kept] = begins[at] as number
    ends[kept] = ends[at] as number
    kept++
  }
  return {
    hadNested,
    text: textOf(codes.subarray(0, kept)),
    sourceOf: (start, end) => sourceOf(begins[start] ?? 0, ends[end - 1] ?? 0),
  }
}

/** The escape that the last of these characters completes; 0 where there is none. */
function escapeAtEnd(codes: Uint16Array, length: number): number {
  const last = codes[length - 1] as number
  if (last === semicolon) return entityAtEnd(codes, length)
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
  const least = Math.max(0, length - longestEntity)
  let from = length - 2
  while (from >= least && codes[from] !== ampersand) from--
  if (from < least) return 0
  const name = textOf(codes.subarray(from + 1, length - 1)).toLowerCase()
  const [, decimal, hex] = name.startsWith('#') ? (/^#(?:(\d+)|x([0-9a-f]+))$/.exec(name) ?? []) : []
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  const meant = named[name] ?? code
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
