/** A text or a comment inside an expression, from its first character to before the next token. */
export interface Quoted {
  readonly kind: 'text' | 'comment'
  readonly end: number
  readonly isClosed: boolean
}

/**
 * What stands at a position where quotes and comments begin; undefined for any other token. Reads as the parser
 * does: a backslash takes the next character with it, and a text in single quotes ends at the end of its line.
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
