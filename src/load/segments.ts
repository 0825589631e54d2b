/** A piece of a text: as it stands, or an expression between `${{` and `}}`. Offsets are those of the text. */
export type Segment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'expression'; readonly source: string; readonly start: number; readonly end: number }
  | { readonly kind: 'open'; readonly start: number }

/**
 * Finds the expressions of a text. Where one ends is found by the expression's own strings and braces, so that
 * `${{ {'params': {}}}}` is one. `$${{` stands for the text `${{`. An expression without its end is `open`.
 */
export function splitSegments(text: string): readonly Segment[] {
  const segments: Segment[] = []
  let plain = ''
  let at = 0
  while (at < text.length) {
    if (text.startsWith('$${{', at)) {
      plain += '${{'
      at += 4
    } else if (text.startsWith('${{', at)) {
      if (plain !== '') segments.push({ kind: 'text', text: plain })
      plain = ''
      const end = findEnd(text, at + 3)
      if (end === undefined) return [...segments, { kind: 'open', start: at }]
      segments.push({ kind: 'expression', source: text.slice(at + 3, end), start: at + 3, end })
      at = end + 2
    } else {
      plain += text[at]
      at++
    }
  }
  return plain === '' ? segments : [...segments, { kind: 'text', text: plain }]
}

/** Whether a text holds an expression, or the beginning of one. */
export function hasExpression(text: string): boolean {
  return splitSegments(text).some((segment) => segment.kind !== 'text')
}

function findEnd(text: string, from: number): number | undefined {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (character === "'" || character === '"') at = endOfString(text, at)
    else if (character === '{') depth++
    else if (character === '}' && depth > 0) depth--
    else if (character === '}' && text[at + 1] === '}') return at
  }
  return undefined
}

function endOfString(text: string, start: number): number {
  const quote = text[start] as string
  const isRaw = /[rR]/.test(text[start - 1] ?? '')
  const triple = quote.repeat(3)
  const close = text.startsWith(triple, start) ? triple : quote
  for (let at = start + close.length; at < text.length; at++) {
    if (text[at] === '\\' && !isRaw) at++
    else if (text.startsWith(close, at)) return at + close.length - 1
  }
  return text.length
}
