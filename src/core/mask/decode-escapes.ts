import type { Span } from './secret-index.ts'

/** A text that was encoded in another, or in a part of it. */
export interface DecodedText {
  readonly text: string
  /** The part of the other text that a part of this one was decoded from. */
  sourceOf(start: number, end: number): Span
}

/** A way in which characters are written so that they mean nothing where the text goes. */
interface Escapes {
  /** What no such text is without. */
  readonly sign: string
  readonly pattern: RegExp
  decode(match: readonly (string | undefined)[]): string
}

const fromHex = (hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))

const percent: Escapes = {
  sign: '%',
  pattern: /%([0-9a-f]{2})/gi,
  decode: ([, hex = '']) => fromHex(hex),
}

/** As forms are sent, and queries of addresses. */
const form: Escapes = {
  sign: '+',
  pattern: /%([0-9a-f]{2})|\+/gi,
  decode: ([, hex]) => (hex === undefined ? ' ' : fromHex(hex)),
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const html: Escapes = {
  sign: '&',
  pattern: /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));?/gi,
  decode([whole = '', decimal, hex, name]) {
    if (name !== undefined) return named[name.toLowerCase()] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
  },
}

const controls: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
}

/** As in JSON and in the source of most languages. */
const backslash: Escapes = {
  sign: '\\',
  pattern: /\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|([\s\S]))/gi,
  decode: ([, four, two, one = '']) =>
    four !== undefined || two !== undefined ? fromHex(four ?? two ?? '') : (controls[one] ?? one),
}

/** Many tools break encoded text into lines. */
const lines: Escapes = { sign: '\n', pattern: /[\r\n]+/g, decode: () => '' }

const waysWithoutSpace: readonly Escapes[] = [percent, html, backslash, lines]
const waysWithSpace: readonly Escapes[] = [percent, form, html, backslash, lines]

/** False for a text that has nothing to decode. */
export function mayBeEncoded(
  text: string,
  { hasSpace }: { readonly hasSpace: boolean },
  shortest: number,
): boolean {
  const { base64: runs64, hex } = runsOf(shortest)
  const ways = hasSpace ? waysWithSpace : waysWithoutSpace
  return ways.some(({ sign }) => text.includes(sign)) || matches(runs64, text) || matches(hex, text)
}

/** Decodes the escapes of the text, one kind at a time: an escape of one kind is plain text in another. */
export function decodeEscapes(
  text: string,
  { hasSpace }: { readonly hasSpace: boolean },
): readonly DecodedText[] {
  const ways = hasSpace ? waysWithSpace : waysWithoutSpace
  return ways.filter(({ sign }) => text.includes(sign)).flatMap((way) => decode(text, way))
}

function decode(text: string, { pattern, decode: decodeOne }: Escapes): readonly DecodedText[] {
  const pieces: string[] = []
  /** Where each piece begins, in the decoded text and in the other. */
  const begins: number[] = [0]
  const sources: number[] = [0]
  let length = 0
  let source = 0
  const add = (piece: string, sourceEnd: number): void => {
    pieces.push(piece)
    length += piece.length
    source = sourceEnd
    begins.push(length)
    sources.push(source)
  }
  for (const match of text.matchAll(pattern)) {
    if (match.index > source) add(text.slice(source, match.index), match.index)
    add(decodeOne(match), match.index + match[0].length)
  }
  if (source === 0) return []
  add(text.slice(source), text.length)
  const startOf = (place: number): number => {
    const piece = pieceAt(begins, place)
    const isEscape = isShortened(begins, sources, piece)
    return (sources[piece] ?? 0) + (isEscape ? 0 : place - (begins[piece] ?? 0))
  }
  const endOf = (place: number): number => {
    const piece = pieceAt(begins, place)
    return isShortened(begins, sources, piece) ? (sources[piece + 1] ?? text.length) : startOf(place) + 1
  }
  return [
    { text: pieces.join(''), sourceOf: (start, end) => ({ start: startOf(start), end: endOf(end - 1) }) },
  ]
}

function isShortened(begins: readonly number[], sources: readonly number[], piece: number): boolean {
  const size = (places: readonly number[]): number => (places[piece + 1] ?? 0) - (places[piece] ?? 0)
  return size(begins) !== size(sources)
}

/** The last piece that begins there or before. */
function pieceAt(begins: readonly number[], place: number): number {
  let low = 0
  let high = begins.length - 2
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((begins[middle] ?? 0) <= place) low = middle
    else high = middle - 1
  }
  return low
}

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

/** The number of characters that so many bytes take at least. */
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
