import type { Span } from '../../core/expressions/tree.ts'
import { quotedAt } from './quoted.ts'

/**
 * Widens the spans of an expression's nodes to whole brackets: the parser forgets the round ones, so that
 * `(a + b) * c` would begin at `a`.
 */
export function createWiden(source: string): (span: Span) => Span {
  const pairs = pairsOf(source)
  if (pairs.length === 0) return (span) => span
  return ([start, end]) => {
    let [from, to] = [start, end]
    for (const [open, close] of pairs) {
      if (open < from && close >= from && close < to) from = open
      if (open >= from && open < to && close >= to) to = close + 1
    }
    return [from, to]
  }
}

/** The round brackets of a source, the inner ones first. */
function pairsOf(source: string): readonly Span[] {
  const open: number[] = []
  const pairs: Span[] = []
  let at = 0
  while (at < source.length) {
    const quoted = quotedAt(source, at)
    if (quoted) {
      at = quoted.end
      continue
    }
    if (source[at] === '(') open.push(at)
    const start = source[at] === ')' ? open.pop() : undefined
    if (start !== undefined) pairs.push([start, at])
    at++
  }
  return pairs
}
