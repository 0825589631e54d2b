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

/** Whether the text has a sign that no escape is without. */
export function hasEscapes(text: string, { hasSpace }: { readonly hasSpace: boolean }): boolean {
  return (hasSpace ? waysWithSpace : waysWithoutSpace).some(({ sign }) => text.includes(sign))
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
