import { beforeEach, describe, expect, it } from 'vitest'
import { failureOf } from './failure-of.ts'
import { openService, validBodies } from './open-service.ts'
import { proves } from './statements.ts'

const service = await openService()
beforeEach(() => service.control('clock', { now: '2026-03-01T12:00:00Z' }))

const noon = Date.parse('2026-03-01T12:00:00Z') / 1000

describe('E5', () => {
  it.each([
    ['prometheus', 'prom-main', 'up', { resultType: 'vector' }],
    ['loki', 'loki-main', '{app="checkout"}', { resultType: 'streams' }],
  ])(`${proves('§E5.path')} %s %s %s`, async (ds_type, ds_name, expr, data) => {
    const input = { ds_type, ds_name, expr }
    let answer: unknown
    const [arrived] = await service.receivedDuring(async () => {
      answer = (await service.client().previewDatasource(input)).data
    })
    expect(arrived).toMatchObject({ method: 'POST', path: '/monit/preview/sync', body: input })
    expect(answer).toMatchObject({ status: 'success', data })
    expect((await service.call('E5', input)).json.data).toEqual(answer)
  })

  it('a query that the datasource refuses is an error inside a 200', async () => {
    const input = { ...validBodies.E5, expr: 'sum(' }
    const [arrived] = await service.receivedDuring(async () => {
      const failure = await failureOf(service.client().previewDatasource(input))
      expect(failure).toMatchObject({ code: 'QueryFailed', details: { errorType: 'bad_data' } })
      expect(failure.message).toContain('invalid parameter "query"')
      expect(failure.requestId).toMatch(/./)
    })
    expect(arrived).toMatchObject({ status: 200, code: 'OK' })
    expect((await service.call('E5', input)).json).toMatchObject({
      data: { status: 'error', errorType: 'bad_data', error: expect.any(String) },
    })
  })

  it.each([
    ['loki', 'prom-main'],
    ['prometheus', 'loki-main'],
    ['Prometheus', 'prom-main'],
  ])(`${proves('§E5.matching-type')} %s, %s`, async (ds_type, ds_name) => {
    const failure = await failureOf(service.through('E5', { ...validBodies.E5, ds_type, ds_name }))
    expect(failure).toMatchObject({ code: 'InvalidParameter', message: expect.stringContaining('ds_type') })
  })

  it.each([
    ['sandbox-owner', 'prom-nothing'],
    ['sandbox-owner', 'prom-other'],
    ['sandbox-other', 'prom-main'],
  ])(`${proves('§E5.configured-name')} %s, %s`, async (key, ds_name) => {
    const failure = await failureOf(service.through('E5', { ...validBodies.E5, ds_name }, key))
    expect(failure).toMatchObject({ code: 'ResourceNotFound', message: expect.stringContaining('ds_name') })
  })

  it.each([undefined, 0, 1, 90, 86_400])(`${proves('§E5.delay')} %s`, async (delay_seconds) => {
    const shift = delay_seconds === undefined ? {} : { delay_seconds }
    const { data } = await service.through('E5', { ...validBodies.E5, ...shift })
    expect(data.data.result[0].value[0]).toBe(noon - (delay_seconds ?? 0))
  })
})
