import { type Alphabet, decodeTexts, sourceOf, type Texts } from './decode-texts.ts'
import type { Layer } from './layer.ts'
import type { Peeled } from './peel-escapes.ts'
import { shortestAnywhere } from './secret-index.ts'

/** Digits of one alphabet that follow each other. */
interface Digits {
  readonly start: number
  readonly end: number
  /** What each of them is. */
  readonly all: number
}

/** What each character is: a bit for each alphabet that has it, and one for what is no letter. */
const kinds = new Uint8Array(0x1_00_00)
const noLetter = 1

/** The characters in their order, in each way that they are written. */
function alphabet(kind: number, bits: number, ...written: readonly string[]): Alphabet {
  const digits = new Uint8Array(0x1_00_00)
  for (const characters of written)
    for (let at = 0; at < characters.length; at++) {
      const code = characters.charCodeAt(at)
      digits[code] = at
      kinds[code] = (kinds[code] as number) | kind | (code < 0x41 ? noLetter : 0)
    }
  return { kind, bits, digits, halves: 2 }
}

const letters = 'abcdefghijklmnopqrstuvwxyz'
const capitals = letters.toUpperCase()
const alphanumeric = `${capitals}${letters}0123456789`

/** Base64 and base64url together, since they differ in two characters that mean the same here. */
const base64 = alphabet(2, 6, `${alphanumeric}+/`, `${alphanumeric}-_`)
const hex = alphabet(4, 4, '0123456789abcdef', '0123456789ABCDEF')
/** Base32 in one case. Each digit is one of base64, too. */
const alphabets = [base64, alphabet(8, 5, `${capitals}234567`), alphabet(16, 5, `${letters}234567`), hex]
/** Pairs of hex digits with the same sign between them: `4f:70`, `4f-70`, `4f 70`, in a form `4f+70`. */
const pairs: Alphabet = { ...hex, halves: 3 }
const signs = [...':- +'].map((sign) => sign.charCodeAt(0))

/**
 * All texts of at least this many bytes that runs of digits hold, each byte as a character; nothing where they hold
 * none. Each alignment is decoded, since a path, a word or a number can come before encoded text.
 */
export function decodeRuns(layer: Layer, peeled: Peeled | undefined, shortest: number): Layer | undefined {
  const texts: Texts = {
    codes: new Uint16Array(0),
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
  const decode = (alphabet: Alphabet, { start, end, all }: Digits): void => {
    // Without a letter it can only be hex.
    if (alphabet.bits !== hex.bits && (all & noLetter) !== 0) return
    const until = peeled ? changedUntil(peeled, start, end, shortest) : end
    if (until > start) decodeTexts({ layer, start, end, alphabet }, until, texts)
  }
  for (const run of pairsIn(codes, shortest)) decode(pairs, run)
  for (const run of digitsIn(codes, base64, 0, codes.length, shortest))
    for (const alphabet of (run.all & noLetter) === 0 ? alphabets : [hex])
      if ((run.all & alphabet.kind) !== 0) decode(alphabet, run)
      else for (const part of digitsIn(codes, alphabet, run.start, run.end, shortest)) decode(alphabet, part)
}

/** What begins behind the escape of its first digits was peeled as it is; where secrets are words, not what is around. */
function changedUntil({ isPlain }: Peeled, start: number, end: number, shortest: number): number {
  if (isPlain[start] === 1 && (start === 0 || isPlain[start - 1] === 1)) return start
  let until = start
  while (until < end && isPlain[until] === 0) until++
  return shortest < shortestAnywhere ? end : until
}

function digitsIn(
  codes: Uint16Array,
  { bits, kind }: Alphabet,
  from: number,
  to: number,
  shortest: number,
): readonly Digits[] {
  const least = Math.ceil((shortest * 8) / bits)
  const runs: Digits[] = []
  for (let start = from; start + least <= to; ) {
    // From its end, since what begins before another character is skipped without a look.
    let end = start + least
    let all = 255
    while (end > start && (all & kind) !== 0) all &= kinds[codes[--end] as number] as number
    if ((all & kind) !== 0) {
      end = start + least
      for (let is = all; end < to; end++) {
        is &= kinds[codes[end] as number] as number
        if ((is & kind) === 0) break
        all = is
      }
      runs.push({ start, end, all })
    }
    start = end + 1
  }
  return runs
}

function pairsIn(codes: Uint16Array, shortest: number): readonly Digits[] {
  const isHex = (at: number): boolean => ((kinds[codes[at] ?? 0] as number) & hex.kind) !== 0
  const isPair = (at: number): boolean => isHex(at) && isHex(at + 1)
  const least = 3 * shortest - 1
  const runs: Digits[] = []
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
      if (end - start > least) runs.push({ start, end: end - 1, all: 0 })
    }
    // The last pair can be the first one of a run with another sign.
    from = Math.max(at + 1, end - 3)
  }
  return runs
}
