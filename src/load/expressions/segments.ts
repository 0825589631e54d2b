import type { JsonPath } from '../../core/json.ts'

/** A piece of a text: as it stands, or an expression between `${{` and `}}`. Offsets are those of the text. */
export type Segment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'expression'; readonly source: string; readonly start: number; readonly end: number }
  | {
      readonly kind: 'open'
      readonly start: number
      /** What keeps the expression from ending, where that is known. */
      readonly hint?: string
    }

/**
 * Finds the expressions of a text. Where one ends is found by the expression's own texts, comments and braces, so
 * that `${{ {'params': {}}}}` is one. `$${{` stands for the text `${{`. An expression without its end is `open`.
 */
export function splitSegments(text: string): readonly Segment[] {
  const segments: Segment[] = []
  let plain = ''
  let from = 0
  for (let at = text.indexOf('${{'); at >= 0; at = text.indexOf('${{', from)) {
    const isLiteral = at > from && text[at - 1] === '$'
    plain += text.slice(from, isLiteral ? at - 1 : at)
    from = at + 3
    if (isLiteral) {
      plain += '${{'
      continue
    }
    if (plain !== '') segments.push({ kind: 'text', text: plain })
    plain = ''
    const { end, hint } = findEnd(text, from)
    if (end === undefined) return [...segments, { kind: 'open', start: at, ...(hint ? { hint } : {}) }]
    segments.push({ kind: 'expression', source: text.slice(from, end), start: from, end })
    from = end + 2
  }
  plain += text.slice(from)
  return plain === '' ? segments : [...segments, { kind: 'text', text: plain }]
}

/** Whether a text holds an expression, or the beginning of one. */
export function hasExpression(text: string): boolean {
  return text.includes('${{') && splitSegments(text).some((segment) => segment.kind !== 'text')
}

function findEnd(text: string, from: number): { readonly end?: number; readonly hint?: string } {
  let depth = 0
  let hasBraces = false
  // A text of one line that a line break has ended.
  let isBroken = false
  let at = from
  while (at < text.length) {
    const quoted = quotedAt(text, at)
    if (quoted && quoted.end === text.length && !quoted.isClosed)
      return { hint: isBroken ? lineBreak : unclosed[quoted.kind] }
    if (quoted) {
      isBroken ||= quoted.kind === 'text' && !quoted.isClosed
      at = quoted.end
      continue
    }
    if (text[at] === '}' && text[at + 1] === '}' && depth === 0) return { end: at }
    if (text[at] === '{') depth++
    if (text[at] === '}' && depth > 0) depth--
    hasBraces ||= text[at] === '{'
    at++
  }
  return hasBraces ? { hint: 'the braces of the expression itself do not pair up' } : {}
}

/** In double quotes YAML has read the escape before the expression could. */
const lineBreak =
  'a line break is inside a text of the expression: in double quotes YAML makes one of \\n; write \\\\n, or a block (>-)'

const unclosed = {
  text: 'a text in the expression has no closing quote',
  comment: 'a comment continues to the end of its line, over the }} too',
} as const

/** The paths of the expressions in a value, which is at the path. */
export function expressionPaths(value: unknown, path: JsonPath): readonly JsonPath[] {
  if (typeof value === 'string') return value.includes('${{') && hasExpression(value) ? [path] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) =>
    expressionPaths(item, [...path, Array.isArray(value) ? Number(key) : key]),
  )
}

/** A text or a comment inside an expression, from its first character to before the next token. */
export interface Quoted {
  readonly kind: 'text' | 'comment'
  readonly end: number
  readonly isClosed: boolean
}

/**
 * The quoted text or comment that begins at a position; undefined for any other token. Reads as the parser does: a
 * backslash takes the next character with it, and a text in single quotes ends at the end of its line.
 */
export function quotedAt(source: string, start: number): Quoted | undefined {
  const quote = source[start]
  if (quote === '/' && source[start + 1] === '/') {
    const end = source.indexOf('\n', start)
    return end < 0
      ? { kind: 'comment', end: source.length, isClosed: false }
      : { kind: 'comment', end, isClosed: true }
  }
  if (quote !== "'" && quote !== '"') return undefined
  const triple = quote.repeat(3)
  const close = source.startsWith(triple, start) ? triple : quote
  for (let at = start + close.length; at < source.length; at++) {
    if (source[at] === '\\') at++
    else if (source.startsWith(close, at)) return { kind: 'text', end: at + close.length, isClosed: true }
    else if (close === quote && (source[at] === '\n' || source[at] === '\r')) {
      return { kind: 'text', end: at, isClosed: false }
    }
  }
  return { kind: 'text', end: source.length, isClosed: false }
}
