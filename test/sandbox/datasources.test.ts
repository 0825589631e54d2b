import { beforeAll, describe, expect, it } from 'vitest'
import { openFileSandbox } from './open-sandbox.ts'

const now = Date.parse('2026-02-01T12:00:00Z')
const sandbox = await openFileSandbox({ limits: false })
beforeAll(() => sandbox.control('clock', { now }))

const prometheus = async (expr: string, more: object = {}) =>
  (await sandbox.call('E5', { ds_type: 'prometheus', ds_name: 'prom-main', expr, ...more })).json.data
const loki = async (expr: string, args: object = {}) =>
  (await sandbox.call('E5', { ds_type: 'loki', ds_name: 'loki-main', expr, args })).json

describe('prom-main', () => {
  it('answers the body of Prometheus', async () => {
    const metric = (instance: string) => ({ __name__: 'up', instance: `${instance}:9100`, job: 'node' })
    expect(await prometheus('up')).toEqual({
      status: 'success',
      data: {
        resultType: 'vector',
        result: [
          { metric: metric('web-01'), value: [now / 1000, '1'] },
          { metric: metric('disk-01'), value: [now / 1000, '1'] },
          { metric: metric('db-01'), value: [now / 1000, '1'] },
          { metric: metric('down-01'), value: [now / 1000, '0'] },
        ],
      },
    })
  })

  /** How many series an expression has, and their labels. */
  const queries: readonly [expr: string, resultType: string, count: number, labels?: object][] = [
    ['up == 0', 'vector', 1, { __name__: 'up', instance: 'down-01:9100', job: 'node' }],
    ['up{instance="web-01:9100"}', 'vector', 1],
    ['up{instance!="web-01:9100",job="node"}', 'vector', 3],
    ['up{instance=~"(web|db)-.*"}', 'vector', 2],
    ['up{instance!~"web.*"}', 'vector', 3],
    ['nothing_like_it', 'vector', 0],
    ['http_requests_total', 'vector', 3],
    [
      'rate(http_requests_total{code="500"}[5m])',
      'vector',
      1,
      { instance: 'web-01:9100', job: 'checkout', code: '500' },
    ],
    ['sum(rate(http_requests_total[5m])) by (code)', 'vector', 3],
    ['sum by (job) (rate(http_requests_total[5m]))', 'vector', 1, { job: 'checkout' }],
    ['sum(rate(http_requests_total[5m]))', 'vector', 1, {}],
    ['count(up)', 'vector', 1, {}],
    ['min(node_filesystem_avail_bytes{mountpoint="/data"}) < 2e10', 'vector', 1],
    ['avg(node_load1) > 100', 'vector', 0],
    ['up[5m]', 'matrix', 4],
    ['42.5', 'scalar', 2],
    ['time()', 'scalar', 2],
  ]
  it.each(queries)('%s → %s of %i', async (expr, resultType, count, labels) => {
    const { status, data } = await prometheus(expr)
    expect({ status, type: data.resultType, count: data.result.length }).toEqual({
      status: 'success',
      type: resultType,
      count,
    })
    if (labels) expect(data.result[0].metric).toEqual(labels)
  })

  it('looks back by the given seconds', async () => {
    const { data } = await prometheus('node_load1', { delay_seconds: 3600 })
    expect(data.result[0].value[0]).toBe(now / 1000 - 3600)
    expect(data.result[0].value[1]).not.toBe((await prometheus('node_load1')).data.result[0].value[1])
    const { data: points } = await prometheus('node_load1[1m]')
    expect(points.result[0].values.map(([at]: [number]) => at - now / 1000)).toEqual([-45, -30, -15, 0])
  })

  it.each([
    'up{',
    'up}',
    'sum(up',
    'up)',
    'up[5m',
    'up{job="node}',
    'up +',
    '* up',
    'sum(up /)',
    'frobnicate(up)',
    'why is checkout slow',
    'up; drop',
    ' ',
    'up{job=~"("}',
  ])('says what is wrong with %j in the words of Prometheus, inside a 200', async (expr) => {
    const answer = await prometheus(expr)
    expect(answer).toEqual({
      status: 'error',
      errorType: 'bad_data',
      error: expect.stringMatching(/^invalid parameter/),
    })
  })
})

describe('loki-main', () => {
  it('answers streams, newest line first, as many as asked', async () => {
    const { data } = await loki('{app="checkout", level="error"}', { 'loki.limit': '3' })
    expect(data).toEqual({
      status: 'success',
      data: {
        resultType: 'streams',
        result: [{ stream: { app: 'checkout', host: 'web-01', level: 'error' }, values: expect.any(Array) }],
        stats: {},
      },
    })
    const { values } = data.data.result[0]
    expect(values).toHaveLength(3)
    expect(values[0]).toEqual([`${now}000000`, expect.stringContaining('level=error')])
    expect(BigInt(values[0][0]) > BigInt(values[1][0])).toBe(true)
  })

  it.each([
    ['{app=~".+"}', 3],
    ['{app="checkout"}', 2],
    ['{app!="checkout"} |= "sdb"', 1],
    ['{level="error"} |= "payment" != "lock"', 1],
    ['{level="error"} |~ "(?:sdb|EXT4)"', 1],
    ['{app="nothing"}', 0],
    ['{app="checkout"} | json', 2],
  ])('%s finds %i streams', async (expr, count) => {
    expect((await loki(expr)).data.data.result).toHaveLength(count)
  })

  it('counts', async () => {
    const { data } = await loki('count_over_time({app="kernel"} |= "sdb" [5m])')
    expect(data.data).toMatchObject({ resultType: 'vector', result: [{ metric: { app: 'kernel' } }] })
  })

  it.each(['app="checkout"', '{}', '{app="checkout"', '{app=checkout}', '{app="checkout"} |= payment', 'up'])(
    'refuses %s',
    async (expr) => {
      expect((await loki(expr)).error).toMatchObject({
        code: 'InvalidParameter',
        message: expect.stringMatching(/^expr: parse error/),
      })
    },
  )

  it.each(['0', 'many', '-1', '100000', 5])('refuses a limit of %j', async (limit) => {
    const { error } = await loki('{app="checkout"}', { 'loki.limit': limit })
    expect(error).toMatchObject({
      code: 'InvalidParameter',
      message: expect.stringMatching(/^args\.loki\.limit:/),
    })
  })
})
