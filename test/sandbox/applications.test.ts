import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type OpenSandbox, openSandbox, validBodies } from './open-sandbox.ts'

let sandbox: OpenSandbox
beforeEach(async () => {
  sandbox = await openSandbox({ limits: false })
})
afterEach(() => sandbox.close())

const member = 'sandbox-member'
const checkout = 'CheckoutWebSandboxApp1'
const hidden = 'CourierIosSandboxApp02'
const legacy = 'LegacyWebSandboxApp003'
const foreign = 'OtherShopSandboxApp004'

const namesFor = async (key: string, application_ids: readonly string[]): Promise<readonly string[]> => {
  const { json } = await sandbox.call('E3', { application_ids }, key)
  return json.data.items.map((item: { application_id: string }) => item.application_id)
}

describe('E2', () => {
  it('answers id, name and token, and nothing else', async () => {
    const { status, json } = await sandbox.call('E2')
    expect(status).toBe(200)
    expect(json.data).toEqual({
      application_id: expect.stringMatching(/^[A-Za-z0-9]{22}$/),
      application_name: 'shop',
      client_token: expect.stringMatching(/^[0-9a-f]{35}$/),
    })
  })

  it('names the types it knows when it refuses another', async () => {
    const { json } = await sandbox.call('E2', { ...validBodies.E2, type: 'web' })
    expect(json.error).toMatchObject({
      code: 'InvalidParameter',
      message: expect.stringMatching(
        /^type: must be one of "browser", "ios".*; the document \(E2\) lists no other type$/,
      ),
    })
  })

  it('refuses a team that the account does not have', async () => {
    const { json } = await sandbox.call('E2', { ...validBodies.E2, team_id: 3 })
    expect(json.error).toMatchObject({
      code: 'ResourceNotFound',
      message: expect.stringMatching(/^team_id:/),
    })
  })

  it('is seen by E3, E7 and E9 from then on', async () => {
    await sandbox.control('clock', { now: '2026-03-01T00:00:00Z' })
    const links = {
      enabled: true,
      systems: [{ name: 'APM', url: 'http://apm.example.com', event_types: ['all'], enabled: false }],
    }
    const body = {
      ...validBodies.E2,
      is_private: true,
      no_ip: true,
      alerting: { enabled: true, channel_ids: [9] },
      tracing: { enabled: true, open_type: 'tab', endpoint: 'https://apm.example.com/${trace_id}' },
      links,
    }
    const { data } = (await sandbox.call('E2', body, member)).json
    const { items } = (await sandbox.call('E3', { application_ids: [data.application_id] })).json.data
    expect(items).toEqual([
      {
        account_id: 1001,
        application_id: data.application_id,
        application_name: 'shop',
        type: 'browser',
        client_token: data.client_token,
        team_id: 1,
        is_private: true,
        no_ip: true,
        no_geo: false,
        alerting: { enabled: true, channel_ids: [9], integration_id: 0 },
        'the service': body.tracing,
        status: 'enabled',
        created_by: 502,
        updated_by: 502,
        created_at: Date.parse('2026-03-01T00:00:00Z'),
        updated_at: Date.parse('2026-03-01T00:00:00Z'),
        links: {
          enabled: true,
          systems: [
            {
              id: expect.stringMatching(/^lnk_/),
              icon_text: '',
              icon_color: '#336699',
              ...links.systems[0],
            },
          ],
        },
      },
    ])
    const rules = await sandbox.call('E9', { application_id: data.application_id })
    expect(rules.json.data.items).toHaveLength(2)
    const disabled = await sandbox.call('E7', {
      application_id: data.application_id,
      rule_id: 'sev_console_error',
    })
    expect(disabled.json).toEqual({ request_id: disabled.headers['service-request-id'] })
  })

  it.each(['tracing', 'the service'])('empties %s while it is disabled', async (name) => {
    const body = {
      ...validBodies.E2,
      [name]: { enabled: false, open_type: 'tab', endpoint: 'https://a.example' },
    }
    const { application_id } = (await sandbox.call('E2', body)).json.data
    const { items } = (await sandbox.call('E3', { application_ids: [application_id] })).json.data
    expect(items[0]['the service']).toEqual({ enabled: false, open_type: '', endpoint: '' })
  })
})

describe('E3', () => {
  it('answers in the order of the ids, each once, and leaves out what is not there', async () => {
    const asked = [legacy, 'nowhere', checkout, legacy, foreign]
    expect(await namesFor('sandbox-owner', asked)).toEqual([legacy, checkout])
  })

  it.each([
    ['sandbox-owner', [checkout, hidden, legacy]],
    [member, [checkout, legacy]],
    ['sandbox-guest', [checkout, legacy]],
    ['sandbox-other', [foreign]],
  ])('shows %s what it may see: %j', async (key, expected) => {
    expect(await namesFor(key, [checkout, hidden, legacy, foreign])).toEqual(expected)
  })

  it('shows other states than enabled', async () => {
    const { items } = (await sandbox.call('E3', { application_ids: [checkout, legacy] })).json.data
    expect(items.map((item: { status: string }) => item.status)).toEqual(['enabled', 'disabled'])
  })
})

describe('E7', () => {
  const cases: readonly [key: string, application: string, rule: string, expected: string][] = [
    ['sandbox-owner', legacy, 'sev_crash', 'OK'],
    [member, checkout, 'sev_crash', 'OK'],
    [member, legacy, 'sev_crash', 'AccessDenied'],
    [member, hidden, 'sev_crash', 'AccessDenied'],
    [member, foreign, 'sev_crash', 'ResourceNotFound'],
    ['sandbox-guest', checkout, 'sev_crash', 'AccessDenied'],
    ['sandbox-owner', 'nowhere', 'sev_crash', 'ResourceNotFound'],
    ['sandbox-owner', checkout, 'sev_nothing', 'ResourceNotFound'],
  ]
  it.each(cases)('%s, %s, %s: %s', async (key, application_id, rule_id, expected) => {
    const { json } = await sandbox.call('E7', { application_id, rule_id }, key)
    expect(json.error?.code ?? 'OK').toBe(expected)
  })

  it('disables the one rule of the one application, keeps it, and can be repeated', async () => {
    const twice = [await sandbox.call('E7'), await sandbox.call('E7')]
    expect(twice.map(({ status }) => status)).toEqual([200, 200])
    expect(Object.keys(twice[0]?.json)).toEqual(['request_id'])
    const { applications } = await sandbox.control('state')
    const disabled = applications.flatMap(
      (application: { application_id: string; severityRules: { rule_id: string; status: string }[] }) =>
        application.severityRules
          .filter(({ status }) => status === 'disabled')
          .map(({ rule_id }) => [application.application_id, rule_id]),
    )
    expect(disabled).toEqual([[checkout, 'sev_crash']])
  })
})

describe('E9', () => {
  const cases: readonly [key: string, application: string, expected: string][] = [
    ['sandbox-owner', hidden, 'OK'],
    [member, checkout, 'OK'],
    [member, legacy, 'OK'],
    [member, hidden, 'AccessDenied'],
    [member, foreign, 'ResourceNotFound'],
    ['sandbox-guest', checkout, 'AccessDenied'],
    ['sandbox-owner', 'nowhere', 'ResourceNotFound'],
  ]
  it.each(cases)('%s, %s: %s', async (key, application_id, expected) => {
    const { json } = await sandbox.call('E9', { application_id }, key)
    expect(json.error?.code ?? 'OK').toBe(expected)
  })

  it('lists whole rules, newest first, with ids of their own', async () => {
    const { items } = (await sandbox.call('E9')).json.data
    expect(items[0]).toEqual({
      rule_id: expect.stringMatching(/^ing_[A-Za-z0-9]{22}$/),
      rule_name: expect.any(String),
      description: expect.any(String),
      filters: expect.any(Array),
      status: 'enabled',
      created_at: Date.parse('2026-01-12T08:00:00Z'),
      updated_at: Date.parse('2026-01-12T08:00:00Z'),
    })
    const times = items.map((item: { created_at: number }) => item.created_at)
    expect(times).toEqual([...times].sort((a, b) => b - a))
    const others = (await sandbox.call('E9', { application_id: legacy })).json.data.items
    const ids = [...items, ...others].map((item: { rule_id: string }) => item.rule_id)
    expect(new Set(ids).size).toBe(4)
  })
})

describe('E8', () => {
  const drafting = '00000000000000000000000000000001'
  const published = '00000000000000000000000000000002'
  const statusOf = async (id: string): Promise<string> =>
    (await sandbox.control('state')).post_mortems.find(
      (item: { post_mortem_id: string }) => item.post_mortem_id === id,
    ).status

  it.each([
    [drafting, 'published'],
    [drafting, 'drafting'],
    [published, 'drafting'],
    [published, 'published'],
  ])('sets %s to %s', async (post_mortem_id, status) => {
    const { json } = await sandbox.call('E8', { post_mortem_id, status }, member)
    expect(json).toEqual({ request_id: expect.any(String), data: {} })
    expect(await statusOf(post_mortem_id)).toBe(status)
  })

  it('changes nothing when it is refused', async () => {
    await sandbox.call('E8', { post_mortem_id: drafting, status: 'published' }, 'sandbox-guest')
    await sandbox.call('E8', { post_mortem_id: drafting, status: 'published' }, 'sandbox-other')
    expect(await statusOf(drafting)).toBe('drafting')
    expect((await sandbox.control('audit')).entries).toEqual([])
  })
})

describe('the audit log', () => {
  it('holds what E1, E2, E7 and E8 changed, and nothing that only read', async () => {
    for (const id of ['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7', 'E8', 'E9', 'catalog'] as const)
      await sandbox.call(id)
    const { entries } = await sandbox.control('audit')
    expect(entries.map((entry: { operation: string }) => entry.operation)).toEqual(['E1', 'E2', 'E7', 'E8'])
    expect(entries[3]).toEqual({
      at: expect.any(Number),
      account_id: 1001,
      user_id: 501,
      key: 'sandbox-owner',
      operation: 'E8',
      request_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      detail: { post_mortem_id: drafting(), status: 'published' },
    })
  })
  const drafting = (): string => validBodies.E8.post_mortem_id
})
