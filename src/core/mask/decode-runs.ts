import type { DecodedText } from './decode-escapes.ts'

/** An alphabet in which bytes are written. */
interface Alphabet {
  readonly characters: string
  readonly bits: number
  /** After this many characters a byte ends with its last one. */
  readonly group: number
  digitOf(code: number): number
}

/** Base64 and base64url together. They differ in two characters, which mean the same here. */
const base64: Alphabet = {
  characters: 'A-Za-z0-9+/_-',
  bits: 6,
  group: 4,
  digitOf(code) {
    if (code >= 97) return code - 71
    if (code === 95 || code === 47) return 63
    if (code >= 65) return code - 65
    return code >= 48 ? code + 4 : 62
  },
}

const base32: Alphabet = {
  characters: 'A-Za-z2-7',
  bits: 5,
  group: 8,
  digitOf: (code) => (code >= 97 ? code - 97 : code >= 65 ? code - 65 : code - 24),
}

/** A pattern that asks for longer runs would be large. */
const longestLeast = 64

/**
 * Decodes all runs of letters and digits as base64, base32 and hex, each byte as a character. Encoded text can begin at
 * any position of a run, so each alignment is tried. Runs too short for `shortest` bytes are left out.
 */
export function* decodeRuns(text: string, shortest: number): Generator<DecodedText> {
  const { base64: runs64, base32: runs32, hex } = runsOf(shortest)
  // Nearly no text has such a run. One of base32 is part of one of base64, which can be shorter.
  if (matches(runs64, text)) {
    yield* decodeAlphabet(text, base64, runs64, shortest)
    yield* decodeAlphabet(text, base32, runs32, shortest)
  }
  if (matches(hex, text)) yield* decodeHex(text, hex)
}

/** Whether the text has a run that is long enough. */
export function hasRuns(text: string, shortest: number): boolean {
  const { base64: runs64, hex } = runsOf(shortest)
  return matches(runs64, text) || matches(hex, text)
}

/** The patterns of runs that are long enough. */
interface RunPatterns {
  readonly base64: RegExp
  readonly base32: RegExp
  readonly hex: RegExp
}

/** By the number of bytes: each mask asks for few. */
const patterns = new Map<number, RunPatterns>()

function runsOf(shortest: number): RunPatterns {
  const known = patterns.get(shortest)
  if (known) return known
  const hexBytes = Math.min(shortest, longestLeast) - 1
  const made = {
    base64: runsIn(base64, shortest),
    base32: runsIn(base32, shortest),
    hex: new RegExp(`(?<![0-9a-f])[0-9a-f]{2}(?:[: -]?[0-9a-f]{2}){${hexBytes},}`, 'gi'),
  }
  if (patterns.size < mostPatterns) patterns.set(shortest, made)
  return made
}

const mostPatterns = 200

function runsIn({ characters, bits }: Alphabet, shortest: number): RegExp {
  return new RegExp(`(?<![${characters}])[${characters}]{${leastRun(bits, shortest)},}`, 'g')
}

/** The number of characters that this number of bytes takes at least. */
function leastRun(bits: number, shortest: number): number {
  return Math.min(Math.ceil((shortest * 8) / bits), longestLeast)
}

function matches(pattern: RegExp, text: string): boolean {
  pattern.lastIndex = 0
  const isThere = pattern.test(text)
  pattern.lastIndex = 0
  return isThere
}

function* decodeAlphabet(
  text: string,
  alphabet: Alphabet,
  runs: RegExp,
  shortest: number,
): Generator<DecodedText> {
  const { bits, group } = alphabet
  const least = leastRun(bits, shortest)
  for (const { 0: run, index } of text.matchAll(runs)) {
    for (let from = 0; from < group && run.length - from >= least; from++) {
      const begin = index + from
      yield {
        text: decodeBits(run, from, alphabet),
        sourceOf: (start, end) => ({
          start: begin + Math.floor((start * 8) / bits),
          end: begin + Math.ceil((end * 8) / bits),
        }),
      }
    }
  }
}

function decodeBits(run: string, from: number, { bits, digitOf }: Alphabet): string {
  const bytes = new Uint8Array(Math.floor(((run.length - from) * bits) / 8))
  let value = 0
  let have = 0
  let at = 0
  for (let place = from; place < run.length; place++) {
    value = ((value << bits) | digitOf(run.charCodeAt(place))) & 0xffff
    have += bits
    if (have >= 8) {
      have -= 8
      bytes[at++] = value >> have
    }
  }
  return textOf(bytes)
}

/** Pairs of digits, as they are or with one sign between them: `4f:70`, `4f-70`, `4f 70`. */
function* decodeHex(text: string, runs: RegExp): Generator<DecodedText> {
  for (const { 0: run, index } of text.matchAll(runs)) {
    const digits = run.replaceAll(/[: -]/g, '')
    // Nearly no run is a secret, and only a secret needs its place.
    let places: readonly number[] | undefined
    const place = (digit: number): number => {
      places ??= [...run.matchAll(/[0-9a-f]/gi)].map(({ index: at }) => at)
      return index + (places[digit] ?? 0)
    }
    for (const from of [0, 1]) {
      const bytes = new Uint8Array(Math.floor((digits.length - from) / 2))
      for (let at = 0; at < bytes.length; at++) {
        const first = from + 2 * at
        bytes[at] = (hexDigit(digits, first) << 4) | hexDigit(digits, first + 1)
      }
      yield {
        text: textOf(bytes),
        sourceOf: (start, end) => ({
          start: place(from + 2 * start),
          end: place(from + 2 * end - 1) + 1,
        }),
      }
    }
  }
}

function hexDigit(digits: string, place: number): number {
  const code = digits.charCodeAt(place)
  return code < 58 ? code - 48 : (code & 31) + 9
}

/** More characters at a time are too many arguments. */
const chunk = 8192

function textOf(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += chunk)
    text += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, at + chunk))
  return text
}
