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
  for (const alphabet of [base64, base32]) yield* decodeAlphabet(text, alphabet, shortest)
  yield* decodeHex(text, shortest)
}

function* decodeAlphabet(text: string, alphabet: Alphabet, shortest: number): Generator<DecodedText> {
  const { characters, bits, group } = alphabet
  const least = Math.min(Math.ceil((shortest * 8) / bits), longestLeast)
  const runs = new RegExp(`(?<![${characters}])[${characters}]{${least},}`, 'g')
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
function* decodeHex(text: string, shortest: number): Generator<DecodedText> {
  const more = Math.min(shortest, longestLeast) - 1
  const runs = new RegExp(`(?<![0-9a-f])[0-9a-f]{2}(?:[: -]?[0-9a-f]{2}){${more},}`, 'gi')
  for (const { 0: run, index } of text.matchAll(runs)) {
    const places: number[] = []
    for (let at = 0; at < run.length; at++) if (/[0-9a-f]/i.test(run[at] ?? '')) places.push(at)
    for (const from of [0, 1]) {
      const bytes = new Uint8Array(Math.floor((places.length - from) / 2))
      for (let at = 0; at < bytes.length; at++) {
        const digits = [0, 1].map((one) => run[places[from + 2 * at + one] ?? 0] ?? '0').join('')
        bytes[at] = Number.parseInt(digits, 16)
      }
      const place = (digit: number): number => index + (places[from + digit] ?? 0)
      yield {
        text: textOf(bytes),
        sourceOf: (start, end) => ({ start: place(2 * start), end: place(2 * end - 1) + 1 }),
      }
    }
  }
}

/** More characters at a time are too many arguments. */
const chunk = 8192

function textOf(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += chunk)
    text += String.fromCharCode(...bytes.subarray(at, at + chunk))
  return text
}
