import { type DigitRun, decodeTexts, type Texts } from './decode-texts.ts'
import { type Layer, textOf } from './layer.ts'
import type { Peeled } from './peel-escapes.ts'
import { shortestAnywhere } from './secret-index.ts'

/** An alphabet in which bytes are written. */
interface Alphabet extends Pick<DigitRun, 'bits' | 'perBit' | 'halves' | 'digits'> {
  /** Its bit in `kinds`. */
  readonly kind: number
}

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
  return { bits, perBit: 1 / bits, digits, kind, halves: 2 }
}

const letters = 'abcdefghijklmnopqrstuvwxyz'
const capitals = letters.toUpperCase()
const alphanumeric = `${capitals}${letters}0123456789`

/** Base64 and base64url together, since they differ in two characters that mean the same here. */
const base64 = alphabet(2, 6, `${alphanumeric}+/`, `${alphanumeric}-_`)
const hex = alphabet(4, 4, '0123456789abcdef', '0123456789ABCDEF')
/** Those whose digits are digits of base64, too: base32 in one case, and hex. */
const inBase64 = [alphabet(8, 5, `${capitals}234567`), alphabet(16, 5, `${letters}234567`), hex]
/** Pairs of hex digits with the same sign between them: `4f:70`, `4f-70`, `4f 70`, in a form `4f+70`. */
const pairs: Alphabet = { ...hex, halves: 3 }
const signs: ReadonlySet<number> = new Set([...':- +'].map((sign) => sign.charCodeAt(0)))

/** Nearly no text of others holds any. */
const noText = { codes: new Uint16Array(0), sources: new Int32Array(0), length: 0 }

/**
 * All texts of at least this many bytes that runs of digits hold, each byte as a character; nothing where they hold
 * none. Each alignment is decoded, since a path, a word or a number can come before encoded text.
 */
export function decodeRuns(layer: Layer, peeled: Peeled | undefined, shortest: number): Layer | undefined {
  const texts: Texts = { ...noText, shortest }
  const text = peeled ?? layer
  decodeAll(text.codes, undefined, texts)
  const { length } = texts
  // A sign before encoded text makes its first characters an escape.
  if (peeled) decodeAll(layer.codes, peeled, texts)
  if (texts.length === 0) return undefined
  const { codes, sources } = texts
  return {
    codes: codes.subarray(0, texts.length - 1),
    sourceOf(start, end) {
      const [first, last] = [sources[start] as number, sources[end - 1] as number]
      return (start < length ? text : layer).sourceOf(first >> 3, (last >> 3) + (last & 7))
    },
    isBroken: () => false,
    isEscape: () => false,
  }
}

function decodeAll(source: Uint16Array, peeled: Peeled | undefined, texts: Texts): void {
  const isLong = texts.shortest >= shortestAnywhere
  /** What begins behind the escape of its first digits was peeled as it is; where secrets are words, not what is around. */
  const changedUntil = (peeled: Peeled, start: number, end: number): number =>
    isLong ? peeled.escapedUntil(start) : isBehindSign(source, start) ? end : start
  const decode = ({ bits, perBit, halves, digits }: Alphabet, { start, end, all }: Digits): void => {
    // Without a letter it can only be hex.
    if (bits !== hex.bits && (all & noLetter) !== 0) return
    const until = peeled ? changedUntil(peeled, start, end) : end
    if (until > start) decodeTexts({ source, start, end, bits, perBit, halves, digits }, until, texts)
  }
  for (const run of pairsIn(source, texts.shortest)) decode(pairs, run)
  for (const run of digitsIn(source, base64, 0, source.length, texts.shortest)) {
    decode(base64, run)
    for (const alphabet of inBase64)
      if ((run.all & alphabet.kind) !== 0) decode(alphabet, run)
      else
        for (const inner of digitsIn(source, alphabet, run.start, run.end, texts.shortest))
          decode(alphabet, inner)
  }
}

function isBehindSign(codes: Uint16Array, at: number): boolean {
  return /[%&#\\]/.test(textOf(codes.subarray(Math.max(at - 7, 0), at)))
}

function digitsIn(
  codes: Uint16Array,
  alphabet: Alphabet,
  from: number,
  to: number,
  shortest: number,
): readonly Digits[] {
  const { bits, kind } = alphabet
  const least = Math.ceil((shortest * 8) / bits)
  const runs: Digits[] = []
  for (let start = from; start + least <= to; ) {
    // From its end, since what begins before another character is skipped without a look.
    let end = start + least
    let all = 255
    while (end > start && (all & kind) !== 0) all &= kinds[codes[--end] as number] as number
    if ((all & kind) === 0) {
      start = end + 1
      continue
    }
    for (end = start + least; end < to; end++) {
      const is = kinds[codes[end] as number] as number
      if ((is & kind) === 0) break
      all &= is
    }
    runs.push({ start, end, all })
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
    if (signs.has(sign)) {
      while (start >= from + 3 && codes[start - 1] === sign && isPair(start - 3)) start -= 3
      while (codes[end - 1] === sign && isPair(end)) end += 3
      if (end - start > least) runs.push({ start, end: end - 1, all: 0 })
    }
    // The last pair can be the first one of a run with another sign.
    from = Math.max(at + 1, end - 3)
  }
  return runs
}
