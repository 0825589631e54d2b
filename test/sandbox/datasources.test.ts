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

  /** The instances of an expression. */
  const queries: readonly [expr: string, instances: readonly string[]][] = [
    ['up{instance="web-01:9100"}', ['web-01:9100']],
    ['up{instance=~"down-01(:[0-9]+)?"}', ['down-01:9100']],
    [' node_load1 ', ['web-01:9100', 'disk-01:9100', 'db-01:9100']],
    ['node_memory_MemAvailable_bytes{instance=~"db-01(:[0-9]+)?"}', ['db-01:9100']],
    ['node_filesystem_avail_bytes{instance=~"disk-01(:[0-9]+)?"}', ['disk-01:9100', 'disk-01:9100']],
    ['node_load1{instance=~"down-01(:[0-9]+)?"}', []],
    ['up{instance=~"other-77(:[0-9]+)?"}', []],
  ]
  it.each(queries)('%s → %j', async (expr, instances) => {
    const { status, data } = await prometheus(expr)
    expect({ status, type: data.resultType }).toEqual({ status: 'success', type: 'vector' })
    expect(data.result.map(({ metric }: { metric: { instance: string } }) => metric.instance)).toEqual(
      instances,
    )
  })

  it('looks back by the given seconds', async () => {
    const { data } = await prometheus('node_load1', { delay_seconds: 3600 })
    expect(data.result[0].value).toEqual([now / 1000 - 3600, '1.25'])
  })

  it.each([
    'up{',
    'up == 0',
    'up{job="node"}',
    'up{instance=~"web.*"}',
    'up[5m]',
    'sum(up)',
    'time()',
    '42',
    'http_requests_total',
    'constructor',
    'why is checkout slow',
    ' ',
  ])('says what it knows in place of %j, as an error of Prometheus inside a 200', async (expr) => {
    expect(await prometheus(expr)).toEqual({
      status: 'error',
      errorType: 'bad_data',
      error: expect.stringMatching(
        /^invalid parameter "query": the sandbox knows up, node_load1, .* or \{instance=~"HOST\(:\[0-9\]\+\)\?"\}$/,
      ),
    })
  })
})

describe('loki-main', () => {
  it('answers streams, newest line first, as many as asked', async () => {
    const { data } = await loki('{app="checkout"}', { 'loki.limit': '2' })
    expect(data).toEqual({
      status: 'success',
      data: {
        resultType: 'streams',
        result: ['error', 'info'].map((level) => ({
          stream: { app: 'checkout', host: 'web-01', level },
          values: [
            [`${now}000000`, expect.stringContaining(`level=${level}`)],
            [`${now - 7000}000000`, expect.stringContaining(`level=${level}`)],
          ],
        })),
        stats: {},
      },
    })
    expect((await loki('{app="kernel"}')).data.data.result).toHaveLength(1)
  })

  it.each(['app="checkout"', '{}', '{app="nothing"}', '{app="checkout"} |= "sdb"', 'up', 'constructor'])(
    'refuses %s, and says what it knows',
    async (expr) => {
      expect((await loki(expr)).error).toMatchObject({
        code: 'InvalidParameter',
        message: 'expr: parse error: the sandbox knows {app="checkout"}, {app="kernel"}',
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
