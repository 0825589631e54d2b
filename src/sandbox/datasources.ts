import type { Json, JsonObject } from './json.ts'
import { mainAccount, otherAccount } from './keys.ts'
import { type HandledOutcome, refuseField } from './outcome.ts'

/** What E5 hands to a datasource. */
export interface Query {
  readonly expr: string
  /** Unix milliseconds that the query looks at, the delay already taken off. */
  readonly atMs: number
  readonly args: Readonly<Record<string, string>>
}

/** A datasource with the answers to the expressions that it knows. */
export interface Datasource {
  readonly name: string
  readonly type: string
  readonly accountId: number
  query(query: Query): HandledOutcome
}

/** The datasources that E5 can ask, by account and name. */
export const datasources: readonly Datasource[] = [
  { name: 'prom-main', type: 'prometheus', accountId: mainAccount, query: queryPrometheus },
  { name: 'loki-main', type: 'loki', accountId: mainAccount, query: queryLoki },
  { name: 'prom-other', type: 'prometheus', accountId: otherAccount, query: queryPrometheus },
]

export function findDatasource(accountId: number, name: string): Datasource | undefined {
  return datasources.find((item) => item.accountId === accountId && item.name === name)
}

type Sample = readonly [instance: string, value: string, more?: Readonly<Record<string, string>>]

/** The samples of each metric. `disk-01` has little space on `/data`, and `down-01` answers nothing else. */
const metrics: Readonly<Record<string, readonly Sample[]>> = {
  up: [
    ['web-01', '1'],
    ['disk-01', '1'],
    ['db-01', '1'],
    ['down-01', '0'],
  ],
  node_load1: [
    ['web-01', '1.25'],
    ['disk-01', '1.71'],
    ['db-01', '0.98'],
  ],
  node_memory_MemAvailable_bytes: [
    ['web-01', '4911202304'],
    ['disk-01', '6094897152'],
    ['db-01', '7402659840'],
  ],
  node_filesystem_avail_bytes: ['web-01', 'disk-01', 'db-01'].flatMap((host): readonly Sample[] => [
    [host, '267812638720', { mountpoint: '/' }],
    [host, host === 'disk-01' ? '13469017088' : '234097082368', { mountpoint: '/data' }],
  ]),
}

const host = '([\\w.-]+)'
const query = new RegExp(
  `^\\s*(\\w+)(?:\\{instance=(?:"${host}:9100"|~"${host}\\(:\\[0-9\\]\\+\\)\\?")\\})?\\s*$`,
)

/** Answers a metric, of all hosts or of one. Prometheus's own errors are data to E5: the envelope is a success. */
function queryPrometheus({ expr, atMs }: Query): HandledOutcome {
  const [, metric = '', exact, any] = query.exec(expr) ?? []
  const samples = Object.hasOwn(metrics, metric) ? metrics[metric] : undefined
  if (samples === undefined) {
    const names = Object.keys(metrics).join(', ')
    const error = `invalid parameter "query": the sandbox knows ${names}, each alone or with {instance="HOST:9100"} or {instance=~"HOST(:[0-9]+)?"}`
    return { kind: 'data', data: { status: 'error', errorType: 'bad_data', error } satisfies JsonObject }
  }
  const wanted = exact ?? any
  const found = samples.filter(([instance]) => wanted === undefined || instance === wanted)
  return succeeded(
    'vector',
    found.map(([instance, value, more]) => ({
      metric: { __name__: metric, instance: `${instance}:9100`, job: 'node', ...more },
      value: [Math.floor(atMs) / 1000, value],
    })),
  )
}

/** The lines of each stream, by the selector that alone finds them. */
const logs: Readonly<Record<string, readonly Stream[]>> = {
  '{app="checkout"}': [
    {
      stream: { app: 'checkout', host: 'web-01', level: 'error' },
      lines: ['upstream payment timed out after 5000 ms', 'order could not be saved: lock wait timeout'],
    },
    {
      stream: { app: 'checkout', host: 'web-01', level: 'info' },
      lines: ['POST /orders 201', 'GET /cart 200', 'GET /health 200'],
    },
  ],
  '{app="kernel"}': [
    {
      stream: { app: 'kernel', host: 'disk-01', level: 'error' },
      lines: ['sdb: I/O error, dev sdb, sector 71303168', 'EXT4-fs warning: remounting read-only'],
    },
  ],
}

interface Stream {
  readonly stream: Readonly<Record<'app' | 'host' | 'level', string>>
  readonly lines: readonly string[]
}

/** Answers the lines of a selector, newest first and some seconds apart, at most `loki.limit` of each stream. */
function queryLoki({ expr, atMs, args }: Query): HandledOutcome {
  const limit = args['loki.limit'] ?? '100'
  if (!/^[1-9]\d{0,4}$/.test(limit))
    return refuseField(
      'args.loki.limit',
      'must be a whole number from 1 to 99999',
      '必须是 1 到 99999 的整数',
    )
  const streams = Object.hasOwn(logs, expr.trim()) ? logs[expr.trim()] : undefined
  if (streams === undefined) {
    const all = Object.keys(logs).join(', ')
    return refuseField('expr', `parse error: the sandbox knows ${all}`, `解析错误：沙箱只支持 ${all}`)
  }
  const timeOf = (index: number): string => `${Math.floor(atMs) - index * 7000}000000`
  const result = streams.map(({ stream, lines }) => ({
    stream,
    values: lines
      .slice(0, Number(limit))
      .map((line, index) => [timeOf(index), `level=${stream.level} msg="${line}"`]),
  }))
  return succeeded('streams', result, { stats: {} })
}

function succeeded(resultType: string, result: Json, more: JsonObject = {}): HandledOutcome {
  return { kind: 'data', data: { status: 'success', data: { resultType, result, ...more } } }
}
