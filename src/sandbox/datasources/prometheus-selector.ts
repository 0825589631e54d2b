import { keywords, withoutStrings } from './prometheus-syntax.ts'
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
