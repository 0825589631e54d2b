import { beforeEach, describe, expect, it } from 'vitest'
import { openFileSandbox, validBodies } from './open-sandbox.ts'

const sandbox = await openFileSandbox({ limits: false })
beforeEach(() => sandbox.control('reset', {}))

const member = 'sandbox-member'
const checkout = 'CheckoutWebSandboxApp1'
const legacy = 'LegacyWebSandboxApp003'
const foreign = 'OtherShopSandboxApp004'

const namesFor = async (key: string, application_ids: readonly string[]): Promise<readonly string[]> => {
  const { json } = await sandbox.call('E3', { application_ids }, key)
  return json.data.items.map((item: { application_id: string }) => item.application_id)
}

describe('E2', () => {
  it('names the types it knows when it refuses another', async () => {
    const { json } = await sandbox.call('E2', { ...validBodies.E2, type: 'web' })
    expect(json.error).toMatchObject({
      code: 'InvalidParameter',
      message: expect.stringMatching(
        /^type: must be one of "browser", "ios".*; the document \(E2\) lists no other type$/,
      ),
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
})

describe('E3', () => {
  it('answers in the order of the ids, each once, and leaves out what is not there', async () => {
    const asked = [legacy, 'nowhere', checkout, legacy, foreign]
    expect(await namesFor('sandbox-owner', asked)).toEqual([legacy, checkout])
  })

  it('shows other states than enabled', async () => {
    const { items } = (await sandbox.call('E3', { application_ids: [checkout, legacy] })).json.data
    expect(items.map((item: { status: string }) => item.status)).toEqual(['enabled', 'disabled'])
  })
})

describe('E7', () => {
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
