import { createRandom } from '../ids.ts'
import type { Json } from '../json.ts'
import { type Outcome, refuseField } from '../outcome.ts'
import type { Query } from './datasource.ts'

const streams = [
  { app: 'checkout', host: 'web-01', level: 'error' },
  { app: 'checkout', host: 'web-01', level: 'info' },
  { app: 'kernel', host: 'disk-01', level: 'error' },
] as const

const texts: Readonly<Record<string, readonly string[]>> = {
  'checkout/error': [
    'upstream payment timed out after 5000 ms',
    'order could not be saved: lock wait timeout',
  ],
  'checkout/info': ['POST /orders 201', 'GET /cart 200', 'GET /health 200'],
  'kernel/error': ['sdb: I/O error, dev sdb, sector 71303168', 'EXT4-fs warning: remounting read-only'],
}

/** Answers a log query, or `count_over_time` and `rate` over one, the way Loki does. */
export function queryLoki({ expr, atMs, args, seed }: Query): Outcome {
  const limit = args['loki.limit'] ?? '100'
  if (!/^[1-9]\d{0,4}$/.test(limit)) {
    return refuseField(
      'args.loki.limit',
      'must be a whole number from 1 to 99999',
      '必须是 1 到 99999 的整数',
    )
  }
  const query = parse(expr)
  if (query === undefined) {
    return refuseField('expr', 'parse error at line 1, col 1: syntax error', '第 1 行第 1 列语法错误')
  }
  const chosen = streams.filter((labels) => query.matchers.every((matches) => matches(labels)))
  const endNs = BigInt(Math.floor(atMs)) * 1_000_000n
  const filled = chosen
    .map((stream) => ({
      stream,
      values: lines(stream, endNs, Math.min(Number(limit), 5000), seed).filter(([, line]) =>
        query.keeps(line),
      ),
    }))
    .filter(({ values }) => values.length > 0)
  if (!query.isMetric) return succeeded('streams', filled)
  const seconds = Math.floor(atMs) / 1000
  return succeeded(
    'vector',
    filled.map(({ stream, values }) => ({ metric: stream, value: [seconds, String(values.length)] })),
  )
}

function succeeded(resultType: string, result: Json): Outcome {
  return { kind: 'data', data: { status: 'success', data: { resultType, result, stats: {} } } }
}

type StreamLabels = (typeof streams)[number]

interface LogQuery {
  readonly isMetric: boolean
  readonly matchers: readonly ((labels: StreamLabels) => boolean)[]
  keeps(line: string): boolean
}

const quoted = '"(?:[^"\\\\]|\\\\.)*"|`[^`]*`'
const selection = `\\{\\s*((?:\\w+\\s*(?:=~|!~|!=|=)\\s*(?:${quoted})\\s*,?\\s*)+)\\}`
const filters = `((?:\\s*(?:\\|=|!=|\\|~|!~)\\s*(?:${quoted}))*)`
const logQuery = new RegExp(`^\\s*${selection}${filters}(?:\\s*\\|\\s*(?:json|logfmt))*\\s*$`)
const metricQuery = new RegExp(
  `^\\s*(?:sum\\s*\\(\\s*)?(?:count_over_time|rate)\\s*\\(\\s*${selection}${filters}\\s*\\[\\d+[smhd]\\]\\s*\\)\\s*\\)?\\s*$`,
)

function parse(expr: string): LogQuery | undefined {
  const metric = metricQuery.exec(expr)
  const [, labels, lineFilters = ''] = metric ?? logQuery.exec(expr) ?? []
  if (labels === undefined) return undefined
  const matchers = [...labels.matchAll(new RegExp(`(\\w+)\\s*(=~|!~|!=|=)\\s*(${quoted})`, 'g'))].map(
    ([, name = '', operator = '', value = '']) => {
      const test = createTest(operator, value.slice(1, -1), true)
      return (stream: StreamLabels): boolean => test((stream as Readonly<Record<string, string>>)[name] ?? '')
    },
  )
  const tests = [...lineFilters.matchAll(new RegExp(`(\\|=|!=|\\|~|!~)\\s*(${quoted})`, 'g'))].map(
    ([, operator = '', value = '']) => createTest(operator, value.slice(1, -1), false),
  )
  return { isMetric: metric !== null, matchers, keeps: (line) => tests.every((test) => test(line)) }
}

function createTest(operator: string, value: string, isWhole: boolean): (text: string) => boolean {
  const isNegated = operator.startsWith('!')
  if (operator.endsWith('~')) {
    const expression = compileExpression(isWhole ? `^(?:${value})$` : value)
    return (text) => (expression?.test(text) ?? false) !== isNegated
  }
  return (text) => (isWhole ? text === value : text.includes(value)) !== isNegated
}

function compileExpression(source: string): RegExp | undefined {
  try {
    return new RegExp(source)
  } catch {
    return undefined
  }
}

/** Newest first, a few seconds apart. */
function lines(
  stream: StreamLabels,
  endNs: bigint,
  limit: number,
  seed: string,
): readonly (readonly [time: string, line: string])[] {
  const random = createRandom(`${seed}/loki/${stream.app}/${stream.level}`)
  const choices = texts[`${stream.app}/${stream.level}`] ?? []
  return Array.from({ length: limit }, (_, index) => {
    const line = choices[Math.floor(random() * choices.length)] ?? ''
    return [String(endNs - BigInt(index) * 7_000_000_000n), `level=${stream.level} msg="${line}"`] as const
  })
}
