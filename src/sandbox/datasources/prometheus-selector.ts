import type { Labels } from './series.ts'

/** What is selected: a metric, matchers on its labels, a range. */
export interface Selector {
  readonly metric: string
  readonly matchers: string
  /** Seconds. */
  readonly range?: number
}

/** The first selector of an expression. */
export function findSelector(expr: string): Selector | undefined {
  const structure = (withoutStrings(expr) ?? '').replace(
    /\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g,
    (list) => ' '.repeat(list.length),
  )
  const pattern =
    /(?<![\w:."])([a-zA-Z_:][\w:]*)(?![\w:]|\s*\()\s*(\{[^}]*\})?\s*(?:\[\s*(\d+)([smhd])[^\]]*\])?/g
  for (const match of structure.matchAll(pattern)) {
    const [whole, metric = '', braces = '', amount, unit = 's'] = match
    if (keywords.has(metric)) continue
    const start = match.index + whole.indexOf(braces || ' ', metric.length)
    const matchers = braces && expr.slice(start + 1, start + braces.length - 1)
    const scale = { s: 1, m: 60, h: 3600, d: 86_400 }[unit] ?? 1
    return { metric, matchers, ...(amount !== undefined && { range: Number(amount) * scale }) }
  }
  return undefined
}

/** Says which series a selector means; null when a matcher holds a broken regular expression. */
export function createMatcher(matchers: string): ((labels: Labels) => boolean) | null {
  const tests: ((labels: Labels) => boolean)[] = []
  for (const [, name = '', operator = '', value = ''] of matchers.matchAll(
    /(\w+)\s*(=~|!~|!=|=)\s*["'`]([^"'`]*)["'`]/g,
  )) {
    if (operator.endsWith('~')) {
      const expression = compileExpression(value)
      if (expression === null) return null
      tests.push((labels) => expression.test(labels[name] ?? '') === (operator === '=~'))
    } else {
      tests.push((labels) => ((labels[name] ?? '') === value) === (operator === '='))
    }
  }
  return (labels) => tests.every((test) => test(labels))
}

function compileExpression(source: string): RegExp | null {
  try {
    return new RegExp(`^(?:${source})$`)
  } catch {
    return null
  }
}

/** Finds plain errors in a Prometheus expression, such as typing errors, without parsing all of it. */

const functions = new Set(
  (
    'abs avg_over_time ceil changes clamp_max clamp_min count_over_time delta deriv floor histogram_quantile increase ' +
    'irate label_replace max_over_time min_over_time predict_linear rate round scalar sort sort_desc sum_over_time time vector ' +
    'sum avg min max count topk bottomk quantile stddev group'
  ).split(' '),
)

/** Words between operands. */
const keywords: ReadonlySet<string> = new Set(
  'by without on ignoring group_left group_right and or unless offset bool'.split(' '),
)

const closing: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']' }
const names: Readonly<Record<string, string>> = { '(': 'parenthesis', '{': 'brace', '[': 'bracket' }

/** The first error in the words that Prometheus uses, or nothing. */
export function findSyntaxError(expr: string): string | undefined {
  const text = withoutStrings(expr)
  if (text === undefined) return '1:1: parse error: unterminated quoted string'
  if (text.trim() === '') return '1:1: parse error: no expression found in input'
  const odd = /[^\w\s:(){}[\],.=!~<>+\-*/%^@"]/.exec(text)
  if (odd) return `1:${odd.index + 1}: parse error: unexpected character: '${odd[0]}'`
  return findUnbalanced(text) ?? findMisplaced(text)
}

/** The expression with the contents of its strings blanked out, so that only its structure is left. */
function withoutStrings(expr: string): string | undefined {
  const text = expr.replace(
    /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`/g,
    (quoted) => `"${' '.repeat(quoted.length - 2)}"`,
  )
  return /['`]|"\s*$/.test(text.replace(/"\s*"/g, '')) || (text.split('"').length - 1) % 2 === 1
    ? undefined
    : text
}

function findUnbalanced(text: string): string | undefined {
  const open: string[] = []
  for (const [index, character] of [...text].entries()) {
    if (character in closing) open.push(character)
    if (!Object.values(closing).includes(character)) continue
    const opener = open.pop()
    if (opener === undefined || closing[opener] !== character) {
      return `1:${index + 1}: parse error: unexpected "${character}"`
    }
  }
  const last = open.pop()
  return last && `1:${text.length + 1}: parse error: unclosed left ${names[last]}`
}

function findMisplaced(text: string): string | undefined {
  const leading = /^\s*([*/%^<>=!~,])/.exec(text)?.[1]
  if (leading) return `1:1: parse error: unexpected <op:${leading}>`
  if (/[-+*/%^<>=!~,]\s*$|\(\s*[*/%^,]|[-+*/%^]\s*[)\]]/.test(text)) {
    return `1:${text.length + 1}: parse error: unexpected end of input`
  }
  const outside = text.replace(/\{[^}]*\}/g, '')
  for (const [, first = '', second = ''] of outside.matchAll(
    /([a-zA-Z_:][\w:]*)\s+(?=([a-zA-Z_:][\w:]*))/g,
  )) {
    if (!keywords.has(first) && !keywords.has(second))
      return `1:1: parse error: unexpected identifier "${second}"`
  }
  for (const [, name = ''] of outside.matchAll(/([a-zA-Z_:][\w:]*)\s*\(/g)) {
    if (!functions.has(name) && !keywords.has(name)) {
      return `1:${outside.indexOf(name) + 1}: parse error: unknown function with name "${name}"`
    }
  }
  return undefined
}
