import { type Alphabet, decodeTexts, sourceOf, type Texts } from './decode-texts.ts'
import type { Layer } from './layer.ts'
import type { Peeled } from './peel-escapes.ts'
import { shortestAnywhere } from './secret-index.ts'

const noDigit = 0xff

/** The characters in their order, in each way that they are written. */
function alphabet(bits: number, ...written: readonly string[]): Alphabet {
  const digits = new Uint8Array(0x1_00_00).fill(noDigit)
  for (const characters of written)
    for (let at = 0; at < characters.length; at++) digits[characters.charCodeAt(at)] = at
  return { bits, digits, halves: 2 }
}

const letters = 'abcdefghijklmnopqrstuvwxyz'
const capitals = letters.toUpperCase()
const alphanumeric = `${capitals}${letters}0123456789`

/** Base64 and base64url together, since they differ in two characters that mean the same here. */
const base64 = alphabet(6, `${alphanumeric}+/`, `${alphanumeric}-_`)
/** In one case. Each digit is one of base64, too. */
const base32 = [alphabet(5, `${capitals}234567`), alphabet(5, `${letters}234567`)]
const hex = alphabet(4, '0123456789abcdef', '0123456789ABCDEF')
/** Pairs of hex digits with the same sign between them: `4f:70`, `4f-70`, `4f 70`, in a form `4f+70`. */
const pairs: Alphabet = { ...hex, halves: 3 }
const signs = [...':- +'].map((sign) => sign.charCodeAt(0))
/** In characters: no text of another alphabet has a run of hex digits of this length. */
const onlyHex = 32

type Visit = (alphabet: Alphabet, start: number, end: number) => void

/**
 * All texts of at least this many bytes that runs of digits hold, each byte as a character; nothing where they hold
 * none. Each alignment is decoded, since a path, a word or a number can come before encoded text.
 */
export function decodeRuns(layer: Layer, peeled: Peeled | undefined, shortest: number): Layer | undefined {
  const texts: Texts = {
    codes: new Uint16Array(layer.codes.length),
    held: [],
    bytes: new Uint8Array(0),
    length: 0,
    shortest,
  }
  decodeAll(peeled ?? layer, undefined, texts)
  // A sign before encoded text makes its first characters an escape.
  if (peeled) decodeAll(layer, peeled, texts)
  if (texts.length === 0) return undefined
  return {
    codes: texts.codes.subarray(0, texts.length - 1),
    sourceOf: (start, end) => sourceOf(texts, start, end),
  }
}

/** Where a text was peeled: only what is no text of what was peeled. */
function decodeAll(layer: Layer, peeled: Peeled | undefined, texts: Texts): void {
  const { codes } = layer
  const { shortest } = texts
  const decode = (alphabet: Alphabet, start: number, end: number): void => {
    const until = peeled ? changedUntil(peeled, start, end, shortest) : end
    if (until > start) decodeTexts({ layer, start, end, alphabet }, until, texts)
  }
  const decodeOthers = (_: Alphabet, start: number, end: number): void => {
    decode(base64, start, end)
    for (const alphabet of base32) eachRun(codes, alphabet, start, end, shortest, decode)
  }
  let from = 0
  eachPairs(codes, shortest, decode)
  eachRun(codes, hex, 0, codes.length, shortest, (_, start, end) => {
    decode(hex, start, end)
    if (end - start < onlyHex) return
    // The first and last ones can belong to what is beside them.
    eachRun(codes, base64, from, start + onlyHex / 2, shortest, decodeOthers)
    from = end - onlyHex / 2
  })
  eachRun(codes, base64, from, codes.length, shortest, decodeOthers)
}

/** What begins behind the escape of its first digits was peeled as it is; where secrets are words, not what is around. */
function changedUntil({ isPlain }: Peeled, start: number, end: number, shortest: number): number {
  if (isPlain[start] === 1 && (start === 0 || isPlain[start - 1] === 1)) return start
  const until = isPlain.indexOf(1, start)
  return shortest < shortestAnywhere || until < 0 ? end : Math.min(until, end)
}

function eachRun(
  codes: Uint16Array,
  alphabet: Alphabet,
  from: number,
  to: number,
  shortest: number,
  visit: Visit,
): void {
  const { bits, digits } = alphabet
  const least = Math.ceil((shortest * 8) / bits)
  for (let start = from; start + least <= to; ) {
    // From its end, since what begins before another character is skipped without a look.
    let end = start + least
    while (end > start && digits[codes[end - 1] as number] !== noDigit) end--
    if (end === start) {
      end = start + least
      while (end < to && digits[codes[end] as number] !== noDigit) end++
      visit(alphabet, start, end++)
    }
    start = end
  }
}

function eachPairs(codes: Uint16Array, shortest: number, visit: Visit): void {
  const isHex = (at: number): boolean => hex.digits[codes[at] ?? 0] !== noDigit
  const isPair = (at: number): boolean => isHex(at) && isHex(at + 1)
  const least = 3 * shortest - 1
  for (let from = 0; from + least <= codes.length; ) {
    // Of three characters that follow each other, one is the sign.
    let at = from + least - 1
    while (at > from + least - 4 && isHex(at)) at--
    const sign = codes[at] as number
    let start = at + 1
    let end = start
    if (signs.includes(sign)) {
      while (start >= from + 3 && codes[start - 1] === sign && isPair(start - 3)) start -= 3
      while (codes[end - 1] === sign && isPair(end)) end += 3
      if (end - start > least) visit(pairs, start, end - 1)
    }
    // The last pair can be the first one of a run with another sign.
    from = Math.max(at + 1, end - 3)
  }
}
