import { describe, expect, it } from 'vitest'
import { outcomeOf } from './failure-of.ts'
import { guest, member, openService, other, owner } from './open-service.ts'
import { proves } from './statements.ts'

const service = await openService()

const ofTeam1 = 'CheckoutWebSandboxApp1'
const privateOfTeam2 = 'CourierIosSandboxApp02'
const ofTeam2 = 'LegacyWebSandboxApp003'
const foreign = 'OtherShopSandboxApp004'

const write: readonly [key: string, application: string, outcome: string][] = [
  [owner, ofTeam1, 'OK'],
  [owner, ofTeam2, 'OK'],
  [member, ofTeam1, 'OK'],
  [member, ofTeam2, 'AccessDenied'],
  [member, privateOfTeam2, 'AccessDenied'],
  [member, foreign, 'ResourceNotFound'],
  [owner, 'nowhere', 'ResourceNotFound'],
  [guest, ofTeam1, 'AccessDenied'],
  [owner, foreign, 'ResourceNotFound'],
  [other, ofTeam1, 'ResourceNotFound'],
  [other, foreign, 'OK'],
]

describe('E7', () => {
  it(proves('§E7.path', '§E7.answer', '§states.preset-rule'), async () => {
    const input = { application_id: ofTeam1, rule_id: 'sev_crash' }
    const client = service.client()
    const [arrived] = await service.receivedDuring(async () => {
      expect((await client.disableRule(input)).data).toEqual({})
    })
    expect(arrived).toMatchObject({ path: '/rum/issue/preset-severity/rules/disable', body: input })
    const { applications, audit } = await service.control('state')
    const { severityRules } = applications.find(
      (item: { application_id: string }) => item.application_id === ofTeam1,
    )
    const states = severityRules.map(({ rule_id, status }: Record<string, string>) => `${rule_id} ${status}`)
    expect(states).toContain('sev_crash disabled')
    expect(states).toContain('sev_unhandled_error enabled')
    expect(states).toHaveLength(4)
    expect(audit).toMatchObject([{ operation: 'E7', request_id: arrived?.request_id, detail: input }])
    expect(Object.keys((await service.call('E7', input)).json)).toEqual(['request_id'])
  })

  it('refuses a rule that the application does not have', async () => {
    const call = service.through('E7', { application_id: ofTeam1, rule_id: 'sev_nothing' })
    expect(await outcomeOf(call)).toBe('ResourceNotFound')
  })

  it.each(write)(`${proves('§E7.permission')} %s, %s: %s`, async (key, application_id, outcome) => {
    expect(await outcomeOf(service.through('E7', { application_id, rule_id: 'sev_crash' }, key))).toBe(
      outcome,
    )
  })
})

describe('E9', () => {
  it(proves('§E9.path', '§E9.rule'), async () => {
    let items: readonly unknown[] = []
    const [arrived] = await service.receivedDuring(async () => {
      items = (await service.client().listIngestionRules({ application_id: ofTeam1 })).data.items
    })
    expect(arrived).toMatchObject({
      path: '/rum/error-ingestion/rules/list',
      body: { application_id: ofTeam1 },
    })
    const condition = {
      key: expect.stringMatching(/^\w+(\.\w+)+$/),
      oper: expect.any(String),
      vals: expect.any(Array),
    }
    for (const item of items) {
      expect(item).toEqual({
        rule_id: expect.any(String),
        rule_name: expect.any(String),
        description: expect.any(String),
        filters: expect.any(Array),
        status: 'enabled',
        created_at: expect.any(Number),
        updated_at: expect.any(Number),
      })
      const { filters } = item as { filters: readonly (readonly unknown[])[] }
      for (const group of filters) for (const one of group) expect(one).toEqual(condition)
    }
    const state = await service.control('state')
    const all = state.applications.find((item: { application_id: string }) => item.application_id === ofTeam1)
    expect(items).toEqual(all.ingestionRules)
    expect(JSON.stringify(items)).toContain('"oper":"IN"')
  })

  it.each([
    ...write.filter(([, application]) => application !== ofTeam2),
    [owner, privateOfTeam2, 'OK'],
    [member, ofTeam2, 'OK'],
  ] as const)(`${proves('§E9.permission')} %s, %s: %s`, async (key, application_id, outcome) => {
    expect(await outcomeOf(service.through('E9', { application_id }, key))).toBe(outcome)
  })
})
