import { type Alphabet, decodeTexts, sourceOf, type Texts } from './decode-texts.ts'
import type { Layer, Span } from './layer.ts'
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
/** So many hex digits follow each other in no other alphabet. */
const onlyHex = 32

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
  const decode = (alphabet: Alphabet, { start, end }: Span): void => {
    const until = peeled ? changedUntil(peeled, start, end, shortest) : end
    if (until > start) decodeTexts({ layer, start, end, alphabet }, until, texts)
  }
  const decodeOthers = (from: number, to: number): void => {
    for (const run of digitsIn(codes, base64, from, to, shortest)) {
      decode(base64, run)
      for (const alphabet of base32)
        for (const part of digitsIn(codes, alphabet, run.start, run.end, shortest)) decode(alphabet, part)
    }
  }
  for (const run of pairsIn(codes, shortest)) decode(pairs, run)
  let from = 0
  for (const run of digitsIn(codes, hex, 0, codes.length, shortest)) {
    decode(hex, run)
    if (run.end - run.start < onlyHex) continue
    // The first and last ones can belong to what is beside them.
    decodeOthers(from, run.start + onlyHex / 2)
    from = run.end - onlyHex / 2
  }
  decodeOthers(from, codes.length)
}

/** What begins behind the escape of its first digits was peeled as it is; where secrets are words, not what is around. */
function changedUntil({ isPlain }: Peeled, start: number, end: number, shortest: number): number {
  if (isPlain[start] === 1 && (start === 0 || isPlain[start - 1] === 1)) return start
  const until = isPlain.indexOf(1, start)
  return shortest < shortestAnywhere || until < 0 ? end : Math.min(until, end)
}

function digitsIn(
  codes: Uint16Array,
  { bits, digits }: Alphabet,
  from: number,
  to: number,
  shortest: number,
): readonly Span[] {
  const least = Math.ceil((shortest * 8) / bits)
  const runs: Span[] = []
  for (let start = from; start + least <= to; ) {
    // From its end, since what begins before another character is skipped without a look.
    let end = start + least
    while (end > start && digits[codes[end - 1] as number] !== noDigit) end--
    if (end > start) {
      start = end
      continue
    }
    end = start + least
    while (end < to && digits[codes[end] as number] !== noDigit) end++
    runs.push({ start, end })
    start = end + 1
  }
  return runs
}

function pairsIn(codes: Uint16Array, shortest: number): readonly Span[] {
  const isHex = (at: number): boolean => hex.digits[codes[at] ?? 0] !== noDigit
  const isPair = (at: number): boolean => isHex(at) && isHex(at + 1)
  const least = 3 * shortest - 1
  const runs: Span[] = []
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
      if (end - start > least) runs.push({ start, end: end - 1 })
    }
    // The last pair can be the first one of a run with another sign.
    from = Math.max(at + 1, end - 3)
  }
  return runs
}
