import { describe, expect, it } from 'vitest'
import type { Hook } from '../../../src/triggers/webhooks/read-delivery.ts'
import { serveHooks } from './serve-hooks.ts'

const hook: Hook = {
  name: 'incidents',
  event: 'incident',
  format: 'incident',
  auth: { type: 'token', header: 'X-Opsbook-Token', secrets: ['word-of-the-day'] },
}

/** As the platform sends it. */
const webhook = {
  event_id: 'ev_1',
  event_type: 'i_new',
  event_time: 1_767_225_600_123,
  person: null,
  incident: {
    incident_id: 'inc_7',
    title: 'Checkout is slow',
    incident_severity: 'Critical',
    incident_status: 'Critical',
    progress: 'Triggered',
    labels: {
      resource: 'web-01',
      service: 'checkout',
      cluster: 'eu-1',
      check: 'latency',
      tries: 3,
      none: null,
    },
    start_time: 1_767_225_590,
    channel_id: 4711,
    responders: [{ person_id: 9 }],
    detail_url: 'https://platform.example.com/incident/inc_7',
    num: 'A1B2',
    group_method: 'p',
  },
}
const button = {
  event_type: 'i_custom',
  event_time: 1_767_225_700_000,
  person: { person_name: 'Ada' },
  incident: { ...webhook.incident, event_id: 'ev_2', alerts: [{ alert_id: 'a1' }] },
}
const seen = {
  id: 'inc_7',
  title: 'Checkout is slow',
  severity: 'Critical',
  status: 'triggered',
  started_at: '2025-12-31T23:59:50.000Z',
  labels: {
    host: 'web-01',
    resource: 'web-01',
    service: 'checkout',
    cluster: 'eu-1',
    check: 'latency',
    tries: '3',
  },
  number: 'A1B2',
  url: 'https://platform.example.com/incident/inc_7',
  channel_id: '4711',
  responders: [{ person_id: 9 }],
}

async function send(body: unknown, token = 'word-of-the-day') {
  const hooks = await serveHooks([hook])
  const answer = await fetch(`${hooks.url}/hooks/incidents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-opsbook-token': token },
    body: JSON.stringify(body),
  })
  return {
    status: answer.status,
    said: await answer.text(),
    events: hooks.evaluations.map(({ event }) => event),
  }
}

describe('a hook for incidents of the platform', () => {
  it('takes the webhook, in the shape of all senders', async () => {
    const { status, events } = await send(webhook)
    expect(status).toBe(200)
    const body = { type: 'i_new', sent_at: '2026-01-01T00:00:00.123Z', incident: seen }
    expect(events).toMatchObject([{ id: 'ev_1', body }])
    expect(events[0]?.body).toEqual(body)
  })

  it('takes the button, whose event id is in the incident', async () => {
    const { status, events } = await send(button)
    expect(status).toBe(200)
    expect(events).toMatchObject([
      {
        id: 'ev_2',
        body: {
          type: 'i_custom',
          person: { person_name: 'Ada' },
          incident: { alerts: [{ alert_id: 'a1' }] },
        },
      },
    ])
  })

  it.each([
    ['no incident', { event_id: 'a' }, 'the body has no incident'],
    ['an incident that is none', { event_id: 'a', incident: [] }, 'the body has no incident'],
    ['no event id', { incident: webhook.incident }, 'the body has no event_id'],
    ['no id of the incident', { event_id: 'a', incident: {} }, 'the incident has no incident_id'],
    ['a list', [webhook], 'the body has no incident'],
    ['null', null, 'the body has no incident'],
  ])('refuses a body with %s', async (_, body, reason) => {
    const { status, said, events } = await send(body)
    expect({ status, said: JSON.parse(said) }).toEqual({ status: 400, said: { error: reason } })
    expect(events).toEqual([])
  })

  it('leaves out what is odd, and takes the rest', async () => {
    const odd = {
      event_id: 5,
      event_time: 'yesterday',
      person: 'Ada',
      incident: {
        incident_id: 7,
        progress: '',
        labels: ['a'],
        start_time: 1e300,
        responders: [1, { a: 1 }],
        alerts: {},
      },
    }
    const { status, events } = await send(odd)
    expect(status).toBe(200)
    expect(events).toMatchObject([{ id: '5' }])
    expect(events[0]?.body).toEqual({
      type: 'i_custom',
      incident: { id: '7', labels: {}, responders: [{ a: 1 }] },
    })
  })

  it('refuses another token', async () => {
    expect(await send(webhook, 'word')).toMatchObject({ status: 401, events: [] })
  })
})
