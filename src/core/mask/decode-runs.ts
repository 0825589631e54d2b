import { type Alphabet, base32, base64, hex, noDigit, pairs } from './alphabets.ts'
import { decodeTexts, sourceOf, type Texts } from './decode-texts.ts'
import type { Layer } from './layer.ts'
import type { Peeled } from './peel-escapes.ts'
import { shortestAnywhere } from './secret-index.ts'

/** In characters: no text of another alphabet has a run of hex digits of this length. */
const onlyHex = 32

type Visit = (alphabet: Alphabet, start: number, end: number) => void

/**
 * All texts of at least this many bytes that runs of digits hold, each byte as a character; nothing where they hold
 * none. Each alignment is decoded, since a path, a word or a number can come before encoded text.
 */
export function decodeRuns(layer: Layer, peeled: Peeled | undefined, shortest: number): Layer | undefined {
  const { length: most } = layer.codes
  const [codes, bytes] = [new Uint16Array(most), new Uint8Array(most + 1)]
  const texts: Texts = { codes, bytes, held: [], length: 0, shortest }
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
  const decodeOthers = (from: number, to: number): void => {
    eachRun(codes, pairs, from, to, shortest, (_, start, end) =>
      eachPairs(codes, start, end, shortest, decode),
    )
    eachRun(codes, base64, from, to, shortest, (_, start, end) => {
      decode(base64, start, end)
      for (const alphabet of base32) eachRun(codes, alphabet, start, end, shortest, decode)
    })
  }
  let from = 0
  eachRun(codes, hex, 0, codes.length, shortest, (_, start, end) => {
    decode(hex, start, end)
    if (end - start < onlyHex) return
    // The first and last ones can belong to what is beside them.
    decodeOthers(from, start + onlyHex / 2)
    from = end - onlyHex / 2
  })
  decodeOthers(from, codes.length)
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

function eachPairs(codes: Uint16Array, from: number, to: number, shortest: number, visit: Visit): void {
  for (let at = from + 2; at < to; at++) {
    if (isHex(codes, at) || !isPair(codes, at - 2)) continue
    const start = at - 2
    let end = at
    while (codes[end] === codes[at] && isPair(codes, end + 1)) end += 3
    if (end - start >= 3 * shortest - 1) visit(pairs, start, end)
    // The last pair can be the first one of a run with another sign.
    at = Math.max(at, end - 1)
  }
}

function isPair(codes: Uint16Array, at: number): boolean {
  return isHex(codes, at) && isHex(codes, at + 1)
}

function isHex(codes: Uint16Array, at: number): boolean {
  return hex.digits[codes[at] ?? 0] !== noDigit
}
