import type { Scalar } from 'yaml'

/** A character of a value, and the stretch of the source that stands for it. */
interface Piece {
  readonly character: string
  readonly start: number
  readonly end: number
}

/**
 * The offset in the source of each character of a scalar's value, and one for its end. Folding and indentation change
 * white space only, so all other characters are paired in order. Undefined where the pairs do not fit.
 */
export function scalarOffsets(text: string, node: Scalar): readonly number[] | undefined {
  if (!offsetsOfScalars.has(node)) offsetsOfScalars.set(node, findOffsets(text, node))
  return offsetsOfScalars.get(node)
}

const offsetsOfScalars = new WeakMap<Scalar, readonly number[] | undefined>()

function findOffsets(text: string, node: Scalar): readonly number[] | undefined {
  const { value, type, range } = node
  if (typeof value !== 'string' || !range) return undefined
  const source = text.slice(range[0], range[1])
  const from = isBlock(type) ? source.indexOf('\n') + 1 : type === 'PLAIN' ? 0 : 1
  const to = type === 'PLAIN' || isBlock(type) ? source.length : source.length - 1
  const pieces = [...readPieces(source, from, to, type)]
  const offsets: number[] = []
  let next = 0
  let end = range[0] + from
  for (let at = 0; at < value.length; at++) {
    const character = value[at] as string
    const piece = pieces[next]
    if (isSpace(character)) {
      // Between two words, white space keeps its distance from the first, up to the second.
      offsets.push(end)
      end = Math.min(end + 1, piece ? range[0] + piece.start : range[1])
      continue
    }
    if (piece?.character !== character) return undefined
    offsets.push(range[0] + piece.start)
    end = range[0] + piece.end
    next++
  }
  return next === pieces.length ? [...offsets, end] : undefined
}

function isBlock(type: string | undefined): boolean {
  return type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED'
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\t' || character === '\r'
}

/** The characters of a source that are no white space, escapes undone. */
function* readPieces(source: string, from: number, to: number, type: string | undefined): Generator<Piece> {
  let at = from
  while (at < to) {
    const length = lengthAt(source, at, type)
    const decoded = decode(source.slice(at, at + length), type)
    for (const character of decoded.split(''))
      if (!isSpace(character)) yield { character, start: at, end: at + length }
    at += length
  }
}

function lengthAt(source: string, at: number, type: string | undefined): number {
  if (type === 'QUOTE_SINGLE') return source.startsWith("''", at) ? 2 : 1
  if (type !== 'QUOTE_DOUBLE' || source[at] !== '\\') return 1
  const digits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }
  return 2 + (digits[source[at + 1] ?? ''] ?? 0)
}

const escapes: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029',
}

function decode(source: string, type: string | undefined): string {
  if (source.length === 1) return source
  if (type === 'QUOTE_SINGLE') return "'"
  const name = source[1] ?? ''
  if (source.length > 2)
    return String.fromCodePoint(Math.min(Number.parseInt(source.slice(2), 16) || 0, 0x10ffff))
  return escapes[name] ?? name
}
