import { describe, expect, it } from 'vitest'
import { failureOf } from './failure-of.ts'
import { callThrough, openService, operationIds, validBodies } from './open-service.ts'
import { proves } from './statements.ts'

const service = await openService()

describe('an error', () => {
  it.each(operationIds)(`${proves('§errors.payload')} %s`, async (id) => {
    const { json, headers } = await service.call(id, {})
    expect(json).toEqual({
      request_id: headers['service-request-id'],
      error: { code: 'InvalidParameter', message: expect.stringMatching(/./) },
    })
    await service.control('faults', [
      { operation: id, times: 1, error: { code: 'NoLicense', message: 'not yours' } },
    ])
    expect(await failureOf(service.through(id))).toMatchObject({
      code: 'NoLicense',
      message: 'not yours',
      requestId: expect.stringMatching(/./),
    })
  })

  it(proves('§errors.language'), async () => {
    const messageIn = async (acceptLanguage?: string): Promise<string> => {
      const client = service.client(acceptLanguage === undefined ? {} : { acceptLanguage })
      return (await failureOf(client.listIngestionRules({ application_id: 'nothing' }))).message
    }
    const english = await messageIn()
    expect(english).toBe('application_id: there is no such resource')
    expect(await messageIn('en')).toBe(english)
    expect(await messageIn('de, en;q=0.5')).toBe(english)
    expect(await messageIn('zh-CN, en;q=0.5')).toMatch(/^application_id：\p{Script=Han}+$/u)
  })

  it(proves('§errors.names'), async () => {
    const input = { ...validBodies.E5, ds_type: 'loki' }
    expect((await failureOf(service.through('E5', input))).message).toMatch(/ds_type.*prom-main/)
    const { json } = await service.call('E2', { ...validBodies.E2, links: { systems: [{ name: 'x' }] } })
    expect(json.error.message).toMatch(/^links\.systems\[0\]\.url: /)
  })

  it.each([200, 201, 404, 418, 500, 503])(`${proves('§errors.branch')} %i`, async (status) => {
    const client = service.client({ baseUrl: service.gateway.url })
    service.gateway.change = (answer) => ({ ...answer, status })
    expect((await client.listIngestionRules(validBodies.E9)).data.items).toHaveLength(2)
    expect((await client.createApplication(validBodies.E2)).data.application_name).toBe('shop')
    const missing = client.listIngestionRules({ application_id: 'nothing' })
    expect(await failureOf(missing)).toMatchObject({ code: 'ResourceNotFound' })
    const refusedCreate = client.createApplication({ ...validBodies.E2, team_id: 99 })
    expect(await failureOf(refusedCreate)).toMatchObject({ code: 'ResourceNotFound' })
  })

  it('with a code that the document does not list reaches the caller too', async () => {
    await service.control('faults', [{ operation: 'E9', times: 1, error: 'BrandNew' }])
    expect(await failureOf(service.through('E9'))).toMatchObject({ code: 'BrandNew' })
  })
})

describe('somebody else answers', () => {
  it.each(operationIds)('%s: a page is never an answer of the service', async (id) => {
    for (const status of [200, 403, 502]) {
      service.gateway.change = (_answer, { url }) => ({
        status,
        headers: { 'content-type': 'text/html; charset=utf-8' },
        body: `<html><body>Log in to see ${url}</body></html>`,
      })
      const client = service.client({ baseUrl: service.gateway.url })
      const failure = await failureOf(callThrough(client, id, validBodies[id], service.file()))
      const isCreate = id === 'E1' || id === 'E2'
      expect(failure.code).toBe(isCreate ? 'OutcomeUnknown' : 'ForeignAnswer')
      expect(failure.message).toContain(`HTTP ${status}`)
      expect(failure.message).not.toContain('Log in')
    }
  })
})

describe('rules', () => {
  it(proves('§errors.rule-1'), async () => {
    const broken = [
      { description: 'Other.' },
      { card_url: 'agents.example.com' },
      { auth_type: 'oauth' },
      { environment_kind: 'cloud' },
      { environment_kind: 'byoc' },
      { team_id: 3 },
    ]
    for (const change of broken) {
      const body = { ...validBodies.E1, ...change }
      expect((await service.call('E1', body)).json.error.code).toMatch(/^(InvalidParameter|AccessDenied)$/)
      await failureOf(service.through('E1', body))
    }
    const { agents } = await service.control('state')
    expect(agents).toEqual([])
  })
})
