import type { Links } from 'opsbook/api'
import { describe, expect, it } from 'vitest'
import { failureOf, outcomeOf } from './failure-of.ts'
import { guest, member, openService, other, owner, validBodies } from './open-service.ts'
import { proves } from './statements.ts'

const service = await openService()

const _ofTeam1 = 'CheckoutWebSandboxApp1'

const links: Links = {
  enabled: true,
  systems: [
    {
      id: 'replay',
      name: 'Replay',
      icon_text: 'RP',
      icon_color: '#00aaFF',
      url: 'https://replay.example.com/${application_id}?trace=${trace_id}',
      event_types: ['session', 'all'],
      enabled: false,
    },
  ],
}

describe('E2', () => {
  it(proves('§E2.path', '§E2.answer', '§E2.client_token'), async () => {
    const client = service.client()
    const [arrived] = await service.receivedDuring(() => client.createApplication(validBodies.E2))
    expect(arrived).toMatchObject({ method: 'POST', path: '/rum/application/create', body: validBodies.E2 })
    const { data } = await client.createApplication(validBodies.E2)
    expect(data).toEqual({
      application_id: expect.stringMatching(/^[A-Za-z0-9]{22}$/),
      application_name: 'shop',
      client_token: expect.stringMatching(/^[0-9a-f]{35}$/),
    })
    const again = await client.createApplication(validBodies.E2)
    expect(again.data.client_token).not.toBe(data.client_token)
    const chosen = { ...validBodies.E2, client_token: 'mine' }
    expect(await failureOf(service.through('E2', chosen))).toMatchObject({ code: 'InvalidInput' })
    const { json, headers } = await service.call('E2', chosen)
    expect(headers['sandbox-unknown-fields']).toBe('/client_token')
    expect(json.data.client_token).not.toBe('mine')
  })

  it.each([
    [owner, 1, 'OK'],
    [member, 1, 'OK'],
    [member, 2, 'OK'],
    [guest, 1, 'AccessDenied'],
    [other, 3, 'OK'],
    [other, 1, 'ResourceNotFound'],
  ])(`${proves('§E2.permission')} %s, team %i: %s`, async (key, team_id, outcome) => {
    expect(await outcomeOf(service.through('E2', { ...validBodies.E2, team_id }, key))).toBe(outcome)
  })

  it(proves('§E2.private'), async () => {
    const client = service.client()
    const open = await client.createApplication({ ...validBodies.E2, team_id: 2, is_private: false })
    const closed = await client.createApplication({ ...validBodies.E2, team_id: 2, is_private: true })
    const application_ids = [open.data.application_id, closed.data.application_id]
    const seenBy = async (appKey: string): Promise<readonly string[]> =>
      (await service.client({ appKey }).getApplications({ application_ids })).data.missing
    expect(await seenBy(owner)).toEqual([])
    expect(await seenBy(member)).toEqual([closed.data.application_id])
    expect(await seenBy(guest)).toEqual([closed.data.application_id])
    expect(await seenBy(other)).toEqual(application_ids)
    const rules = service.through('E9', { application_id: closed.data.application_id }, member)
    expect(await failureOf(rules)).toMatchObject({ code: 'AccessDenied' })
  })
})

describe('E3', () => {
  it(proves('§E3.path', '§E3.record', '§E3.status', '§links.record'), async () => {
    await service.control('clock', { now: '2026-03-01T00:00:00Z' })
    const client = service.client({ appKey: member })
    const alerting = { enabled: true, channel_ids: [7, 9], integration_id: 4 }
    const tracing = { enabled: true, open_type: 'tab', endpoint: 'https://apm.example.com/${trace_id}' }
    const given = { ...validBodies.E2, is_private: true, no_ip: true, no_geo: true, alerting, links }
    const made = await client.createApplication({ ...given, 'the service': tracing })
    const { application_id, client_token } = made.data
    let answer: unknown
    const [arrived] = await service.receivedDuring(async () => {
      answer = (await client.getApplications({ application_ids: [application_id] })).data
    })
    expect(arrived).toMatchObject({
      path: '/rum/application/infos',
      body: { application_ids: [application_id] },
    })
    const record = {
      ...given,
      'the service': tracing,
      account_id: 1001,
      application_id,
      client_token,
      status: 'enabled',
      created_by: 502,
      updated_by: 502,
      created_at: Date.parse('2026-03-01T00:00:00Z'),
      updated_at: Date.parse('2026-03-01T00:00:00Z'),
    }
    expect(answer).toMatchObject({ items: [record], total: 1, missing: [] })
    const raw = await service.call('E3', { application_ids: [application_id] }, member)
    expect(raw.json.data).toEqual({ items: [record] })
  })

  it(proves('§E3.types'), async () => {
    const types = [
      'browser',
      'ios',
      'android',
      'react-native',
      'flutter',
      'kotlin-multiplatform',
      'roku',
      'unity',
    ]
    const client = service.client()
    const made = await Promise.all(types.map((type) => client.createApplication({ ...validBodies.E2, type })))
    const { data } = await client.getApplications({
      application_ids: made.map(({ data }) => data.application_id),
    })
    expect(data.items.map(({ type }) => type).sort()).toEqual([...types].sort())
  })

  it.each(['tracing', 'the service'] as const)(`${proves('§E3.tracing-off')} given as %s`, async (name) => {
    const client = service.client()
    const tracing = { enabled: false, open_type: 'tab', endpoint: 'https://apm.example.com' }
    const { data } = await client.createApplication({ ...validBodies.E2, [name]: tracing })
    const { items } = (await client.getApplications({ application_ids: [data.application_id] })).data
    expect(items[0]?.['the service']).toEqual({ enabled: false, open_type: '', endpoint: '' })
  })

  it(proves('§E3.at-most-200', '§size.application_ids'), async () => {
    const client = service.client()
    const { data } = await client.createApplication(validBodies.E2)
    const application_ids = [
      ...Array.from({ length: 200 }, (_, index) => `none-${index}`),
      data.application_id,
    ]
    let answer: Awaited<ReturnType<typeof client.getApplications>> | undefined
    const arrived = await service.receivedDuring(async () => {
      answer = await client.getApplications({ application_ids })
    })
    expect(arrived.map(({ body }) => body.application_ids)).toEqual([
      application_ids.slice(0, 200),
      application_ids.slice(200),
    ])
    expect(answer?.data.items.map(({ application_id }) => application_id)).toEqual([data.application_id])
    expect(answer?.data).toMatchObject({ total: 201, missing: application_ids.slice(0, 200) })
    expect(answer?.requestIds).toEqual(arrived.map(({ request_id }) => request_id))

    const unsplit = await service.receivedDuring(async () => {
      const failure = await failureOf(client.attempt('getApplications', { application_ids }))
      expect(failure).toMatchObject({ code: 'InvalidInput', notSent: true })
    })
    expect(unsplit).toEqual([])
    const { status, json } = await service.call('E3', { application_ids })
    expect({ status, ...json.error }).toEqual({
      status: 400,
      code: 'InvalidParameter',
      message: expect.stringMatching(/^application_ids: .*200/),
    })
    expect((await service.call('E3', { application_ids: application_ids.slice(1) })).status).toBe(200)
  })
})
