import type { Json, JsonObject } from '../json.ts'
import type { Outcome } from '../outcome.ts'
import type { Query } from './datasource.ts'
import { createMatcher, findSelector, findSyntaxError } from './prometheus-selector.ts'
import { type Labels, seriesOf } from './series.ts'

interface Sample {
  readonly labels: Labels
  readonly value: number
}

/**
 * Answers an instant query the way Prometheus does. It understands one selector with its matchers, `rate`-like
 * functions, one aggregation with `by`, and a comparison with a number; what goes beyond is read as if it were not there.
 */
export function queryPrometheus({ expr, atMs, seed }: Query): Outcome {
  const error = findSyntaxError(expr)
  if (error !== undefined) return failed(`invalid parameter "query": ${error}`)
  const seconds = Math.floor(atMs) / 1000
  const number = /^\s*[-+]?\d+(\.\d+)?(e[-+]?\d+)?\s*$/i.exec(expr)
  if (number) return succeeded('scalar', [seconds, text(Number(expr))])
  if (/^\s*time\(\)\s*$/.test(expr)) return succeeded('scalar', [seconds, text(seconds)])
  const selector = findSelector(expr)
  const matches = selector && createMatcher(selector.matchers)
  if (matches === null)
    return failed('invalid parameter "query": a matcher is not a valid regular expression')
  const found = seriesOf(selector?.metric ?? '', seed).filter(({ labels }) => matches?.(labels))
  if (selector?.range !== undefined && !/\w\s*\(/.test(expr)) {
    const result = found.map(({ labels, valueAt }) => ({
      metric: labels,
      values: steps(seconds, selector.range ?? 0).map((at): Json => [at, text(valueAt(at))]),
    }))
    return succeeded('matrix', result)
  }
  const samples = found.map((series) => ({
    labels: /\w\s*\(/.test(expr) ? withoutName(series.labels) : series.labels,
    value: readValue(series, expr, seconds),
  }))
  const kept = compare(aggregate(samples, expr), expr)
  return succeeded(
    'vector',
    kept.map(({ labels, value }) => ({ metric: labels, value: [seconds, text(value)] })),
  )
}

function succeeded(resultType: string, result: Json): Outcome {
  return { kind: 'data', data: { status: 'success', data: { resultType, result } } }
}

/** Prometheus's own errors are data to E5: the envelope is a success. */
function failed(error: string): Outcome {
  return { kind: 'data', data: { status: 'error', errorType: 'bad_data', error } satisfies JsonObject }
}

function readValue(series: ReturnType<typeof seriesOf>[number], expr: string, seconds: number): number {
  return /\b(i?rate|increase|deriv|delta)\s*\(/.test(expr) ? series.perSecond : series.valueAt(seconds)
}

function aggregate(samples: readonly Sample[], expr: string): readonly Sample[] {
  const operator = /^\s*(sum|avg|min|max|count)\b/.exec(expr)?.[1]
  if (operator === undefined) return samples
  const by = (/\bby\s*\(([^)]*)\)/.exec(expr)?.[1] ?? '').split(',').map((label) => label.trim())
  const groups = new Map<string, { readonly labels: Labels; readonly values: number[] }>()
  for (const { labels, value } of samples) {
    const kept = Object.fromEntries(Object.entries(labels).filter(([name]) => by.includes(name)))
    const group = groups.get(JSON.stringify(kept)) ?? { labels: kept, values: [] }
    group.values.push(value)
    groups.set(JSON.stringify(kept), group)
  }
  return [...groups.values()].map(({ labels, values }) => ({ labels, value: combine(operator, values) }))
}

function combine(operator: string, values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0)
  switch (operator) {
    case 'count':
      return values.length
    case 'avg':
      return sum / values.length
    case 'min':
      return Math.min(...values)
    case 'max':
      return Math.max(...values)
    default:
      return sum
  }
}

function compare(samples: readonly Sample[], expr: string): readonly Sample[] {
  const [, operator, limit] = /(==|!=|>=|<=|>|<)\s*(-?\d+(?:\.\d+)?(?:e\d+)?)\s*$/i.exec(expr) ?? []
  const than = Number(limit)
  return samples.filter(({ value }) => {
    if (operator === '==') return value === than
    if (operator === '!=') return value !== than
    if (operator === '>') return value > than
    if (operator === '<') return value < than
    if (operator === '>=') return value >= than
    return operator === '<=' ? value <= than : true
  })
}

function withoutName({ __name__: _, ...labels }: Labels): Labels {
  return labels
}

/** One point each 15 seconds, at most as many as Prometheus gives. */
function steps(end: number, range: number): readonly number[] {
  const count = Math.min(11_000, Math.floor(range / 15))
  return Array.from({ length: count }, (_, index) => end - (count - 1 - index) * 15)
}

function text(value: number): string {
  return String(Number(value.toPrecision(8)))
}
