import { describe, expect, it } from 'vitest'
import { failureOf } from './failure-of.ts'
import { callThrough, openService, operationIds, validBodies } from './open-service.ts'
import { proves } from './statements.ts'

const service = await openService()

const isCreate = (id: string): boolean => id === 'E1' || id === 'E2'

/** The codes of the document, and the status that each travels with. */
const codes = [
  ['§code.InvalidParameter', 'InvalidParameter', 400],
  ['§code.BadRequest', 'BadRequest', 400],
  ['§code.InvalidContentType', 'InvalidContentType', 400],
  ['§code.ResourceNotFound', 'ResourceNotFound', 400],
  ['§code.NoLicense', 'NoLicense', 400],
  ['§code.ReferenceExist', 'ReferenceExist', 400],
  ['§code.Unauthorized', 'Unauthorized', 401],
  ['§code.BalanceNotEnough', 'BalanceNotEnough', 402],
  ['§code.AccessDenied', 'AccessDenied', 403],
  ['§code.RouteNotFound', 'RouteNotFound', 404],
  ['§code.MethodNotAllowed', 'MethodNotAllowed', 405],
  ['§code.UndonedOrderExist', 'UndonedOrderExist', 409],
  ['§code.EntityTooLarge', 'EntityTooLarge', 413],
  ['§code.RequestLocked', 'RequestLocked', 423],
  ['§code.RequestVerifyRequired', 'RequestVerifyRequired', 428],
  ['§code.DangerousOperation', 'DangerousOperation', 428],
  ['§code.RequestTooFrequently', 'RequestTooFrequently', 429],
  ['§code.InternalError', 'InternalError', 500],
  ['§code.ServiceUnavailable', 'ServiceUnavailable', 503],
] as const

describe('codes', () => {
  it.each(codes.map((row) => [proves(row[0]), ...row] as const))('%s', async (_title, _id, code, status) => {
    for (const id of ['E9', 'E2', 'E6'] as const) {
      await service.control('faults', [{ operation: id, times: 1, error: code }])
      const [arrived] = await service.receivedDuring(async () => {
        const failure = await failureOf(callThrough(service.client(), id, validBodies[id], service.file()))
        const leavesOutcomeUnknown = isCreate(id) && status >= 500
        expect(failure.code).toBe(leavesOutcomeUnknown ? 'OutcomeUnknown' : code)
        if (leavesOutcomeUnknown) expect(failure.details).toMatchObject({ errors: [{ code }] })
        expect(failure.requestId).toMatch(/./)
      })
      expect(arrived).toMatchObject({ status, code, executed: false })
    }
  })

  it(proves('§code.OK'), async () => {
    await service.control('config', { shape: 'newer' })
    const { json } = await service.call('E9')
    expect(json.error.code).toBe('OK')
    expect((await service.through('E9')).data.items).toEqual(json.data.items)
  })
})

describe('statuses', () => {
  it.each(operationIds)(`${proves('§status.400')} %s`, async (id) => {
    const { status, json } = await service.call(id, { [Object.keys(validBodies[id])[0] ?? '']: 0 })
    const named = json.error.message.split(':')[0]
    expect({ status, code: json.error.code }).toEqual({ status: 400, code: 'InvalidParameter' })
    expect(Object.keys(validBodies[id])).toContain(named)
  })

  it.each(operationIds)(`${proves('§status.429')} %s`, async (id) => {
    await service.control('faults', [
      { operation: id, times: 1, error: { code: 'RequestTooFrequently', retry_after: 7 } },
    ])
    const arrived = await service.receivedDuring(async () => {
      const failure = await failureOf(callThrough(service.client(), id, validBodies[id], service.file()))
      expect(failure).toMatchObject({ code: 'RequestTooFrequently', retryAfterMs: 7000 })
    })
    expect(arrived).toMatchObject([{ status: 429, code: 'RequestTooFrequently', executed: false }])
  })

  it.each(operationIds)(`${proves('§status.500')} %s`, async (id) => {
    await service.control('faults', [{ operation: id, times: 1, error: 'InternalError' }])
    let requestId: string | undefined
    const arrived = await service.receivedDuring(async () => {
      const failure = await failureOf(service.through(id))
      expect(failure.code).toBe(isCreate(id) ? 'OutcomeUnknown' : 'InternalError')
      requestId = failure.requestId
    })
    expect(arrived).toMatchObject([{ status: 500, code: 'InternalError', request_id: requestId }])
  })
})
