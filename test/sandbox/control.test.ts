import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openFileSandbox, openSandbox, paths, validBodies } from './open-sandbox.ts'

const sandbox = await openFileSandbox()
beforeEach(() => sandbox.control('reset', {}))

describe('GET requests', () => {
  it('lists every request: when, from whom, and its result', async () => {
    const before = Date.now()
    await sandbox.call('E8', { ...validBodies.E8, extra: 1 }, 'sandbox-member')
    await sandbox.call('E8', {}, 'my-real-key')
    await sandbox.send('/nowhere?app_key=my-real-key', { body: 'no JSON: "' })
    await sandbox.send(`${paths.E5}?app_key=sandbox-owner`, { method: 'GET' })
    const { requests, received, dropped } = await sandbox.control('requests')
    expect({ received, dropped }).toEqual({ received: 4, dropped: 0 })
    const common = { request_id: expect.stringMatching(/^[0-9a-f]{32}$/), fault: null, method: 'POST' }
    expect(requests).toMatchObject([
      {
        ...common,
        number: 1,
        path: paths.E8,
        operation: 'E8',
        key: 'sandbox-member',
        status: 200,
        code: 'OK',
        executed: true,
        unknown_fields: ['/extra'],
        body: { ...validBodies.E8, extra: 1 },
      },
      {
        ...common,
        number: 2,
        operation: 'E8',
        key: null,
        status: 401,
        code: 'Unauthorized',
        executed: false,
        body: {},
      },
      {
        ...common,
        number: 3,
        path: '/nowhere',
        operation: null,
        key: null,
        status: 404,
        code: 'RouteNotFound',
      },
      {
        ...common,
        number: 4,
        operation: 'E5',
        method: 'GET',
        key: 'sandbox-owner',
        code: 'MethodNotAllowed',
      },
    ])
    const times = requests.map((request: { arrived_ms: number }) => request.arrived_ms)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(times[0]).toBeGreaterThan(before - 1000)
    expect(times.some((time: number) => !Number.isInteger(time))).toBe(true)
    expect(JSON.stringify(requests)).not.toContain('my-real-key')
  })

  it('can be narrowed', async () => {
    for (const id of ['E5', 'E8', 'E5', 'E9', 'E5'] as const) await sandbox.call(id)
    const numbers = async (query: string): Promise<readonly number[]> =>
      (await sandbox.control(`requests?${query}`)).requests.map(({ number }: { number: number }) => number)
    expect(await numbers('operation=E5')).toEqual([1, 3, 5])
    expect(await numbers('operation=E5&after=1&limit=1')).toEqual([3])
    expect(await numbers('after=4')).toEqual([5])
    expect(await sandbox.control('requests?after=x')).toMatchObject({ status: 400 })
  })

  it('keeps what is no JSON as text, and of a long body the start', async () => {
    const headers = { 'content-type': 'application/json' }
    await sandbox.send(`${paths.E5}?app_key=sandbox-owner`, { headers, body: '{"expr": ' })
    await sandbox.send(`${paths.E5}?app_key=sandbox-owner`, { headers, body: `"${'x'.repeat(100_000)}"` })
    const [broken, long] = (await sandbox.control('requests')).requests
    expect(broken.body).toBe('{"expr": ')
    expect(long.body).toHaveLength(65_536)
  })
})

describe('the rest of /_sandbox', () => {
  it('lists itself and the keys, without a key and without an envelope', async () => {
    const { endpoints, keys } = (await sandbox.send('/_sandbox', { method: 'GET' })).json
    expect(endpoints.join('\n')).toMatch(/GET \/_sandbox\/requests: .*\n(.*\n)*POST \/_sandbox\/incidents: /)
    expect(keys.map((line: string) => line.split(':')[0])).toEqual([
      'sandbox-owner',
      'sandbox-member',
      'sandbox-guest',
      'sandbox-other',
    ])
  })

  it.each([
    ['nothing', undefined, 404],
    ['reset', { seeds: 1 }, 400],
    ['config', { latency_ms: -1 }, 400],
    ['config', { shape: 'older' }, 400],
    ['config', { latencyMs: 1 }, 400],
    ['clock', { now: 'tomorrow' }, 400],
    ['clock', { now: -1 }, 400],
    ['clock', { advance_ms: 1e18 }, 400],
    ['clock', { by: 1 }, 400],
    ['incidents', {}, 400],
    ['incidents', { status: 'resolved' }, 400],
  ])('%s %j: %i', async (path, body, status) => {
    expect(await sandbox.control(path, body)).toEqual({ status, problem: expect.stringMatching(/./) })
  })

  it('lists the values that a field can have', async () => {
    expect(await sandbox.control('faults', [{ operation: 'E99' }])).toMatchObject({
      status: 400,
      problem: expect.stringMatching(/operation must be equal to one of the allowed values: \*, E1, /),
    })
  })

  it('refuses what is no JSON', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    const good = await sandbox.send('/_sandbox/config', { headers, body: '{"limits":false}' })
    expect(good.json.limits).toBe(false)
    expect(await sandbox.send('/_sandbox/config', { headers, body: 'limits=false' })).toMatchObject({
      status: 400,
      json: { problem: 'the body is not JSON' },
    })
    const long = await sandbox.send('/_sandbox/config', { headers, body: ' '.repeat(1_048_577) })
    expect(long.status).toBe(400)
  })

  it('is not recorded among the requests', async () => {
    await sandbox.control('state')
    expect((await sandbox.control('requests')).received).toBe(0)
  })
})

describe('the clock', () => {
  const timeOf = async (): Promise<number> => {
    await sandbox.call('E2', { ...validBodies.E2, team_id: 1 })
    const { applications } = await sandbox.control('state')
    return applications.at(-1).record.created_at
  }

  it('is the one of this machine until it is set; then it stands still', async () => {
    const before = Date.now()
    const first = await timeOf()
    expect(first).toBeGreaterThanOrEqual(before - 1000)
    expect(await sandbox.control('clock', { now: '2030-01-01T00:00:00Z' })).toEqual({
      now: '2030-01-01T00:00:00.000Z',
      now_ms: Date.parse('2030-01-01T00:00:00Z'),
      running: false,
    })
    expect(await timeOf()).toBe(Date.parse('2030-01-01T00:00:00Z'))
    await sandbox.control('clock', { advance_ms: 1500 })
    expect(await timeOf()).toBe(Date.parse('2030-01-01T00:00:01.500Z'))
    const { requests } = await sandbox.control('requests')
    expect(requests.at(-1).clock_ms).toBe(Date.parse('2030-01-01T00:00:01.500Z'))
    expect(requests.at(-1).arrived_ms).not.toBe(requests.at(-1).clock_ms)
  })

  it('can run on from where it was put, and be moved while it runs', async () => {
    expect(await sandbox.control('clock', { now: 0, run: true })).toMatchObject({ running: true })
    const { now_ms, now } = await sandbox.control('clock', { advance_ms: 60_000 })
    expect(now_ms).toBeGreaterThanOrEqual(60_000)
    expect(now).toMatch(/^1970-/)
    expect(await sandbox.control('clock', { run: false })).toMatchObject({ running: false })
    const before = Date.now()
    await sandbox.control('reset', {})
    expect((await sandbox.control('clock')).now_ms).toBeGreaterThanOrEqual(before - 1000)
  })

  it('forgets the windows when it is put back', async () => {
    for (let sent = 0; sent < 10; sent++) await sandbox.call('E5')
    expect((await sandbox.call('E5')).status).toBe(429)
    await sandbox.control('clock', { now: 0 })
    expect((await sandbox.call('E5')).status).toBe(200)
  })
})

describe('incidents', () => {
  let receiver: Server
  let url: string
  const received: { headers: IncomingHttpHeaders; body: string }[] = []
  beforeAll(async () => {
    receiver = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      received.push({ headers: request.headers, body })
      response.writeHead(statusOf(request.url)).end('noted')
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  })
  afterAll(() => {
    receiver.closeAllConnections()
    receiver.close()
  })
  beforeEach(() => received.splice(0))

  const statusOf = (path = ''): number => {
    if (path === '/refused') return 400
    return path === '/full' || (path === '/twice-full' && received.length < 3) ? 503 : 202
  }

  it('are sent to the webhook URL, and the answer says what happened', async () => {
    await sandbox.control('config', { webhook_url: url })
    const answer = await sandbox.control('incidents', {})
    const event = {
      event_id: expect.stringMatching(/^evt_/),
      event_type: 'i_new',
      event_time: expect.any(Number),
      incident: {
        incident_id: expect.stringMatching(/^inc_/),
        num: expect.stringMatching(/^[A-Z0-9]{6}$/),
        title: 'Checkout is slow',
        incident_severity: 'Critical',
        incident_status: 'Critical',
        progress: 'Triggered',
        start_time: expect.any(Number),
        labels: { service: 'checkout', resource: 'web-01' },
        channel_id: 1,
        responders: [],
        detail_url: expect.stringMatching(/^https:/),
      },
    }
    const delivery = { event, delivered: true, status: 202, answer: 'noted', attempts: [{ status: 202 }] }
    const { attempts, ...first } = delivery
    expect(answer).toEqual({ url, ...first, deliveries: [delivery] })
    expect(JSON.parse(received[0]?.body ?? '')).toEqual(event)
    expect(received[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-sandbox-token': 'sandbox-webhook-token',
    })
  })

  it('come from the button, too, with the person and the alerts', async () => {
    await sandbox.control('config', { webhook_url: url })
    await sandbox.control('incidents', { event_id: 'evt_1', button: true })
    const body = JSON.parse(received[0]?.body ?? '')
    expect(body).toMatchObject({
      event_type: 'i_custom',
      person: { person_name: 'Ada' },
      incident: { event_id: 'evt_1', alerts: [{ alert_severity: 'Critical' }] },
    })
    expect(body).not.toHaveProperty('event_id')
  })

  it('hold what is given, and each has an id of its own unless one is given', async () => {
    await sandbox.control('config', { webhook_url: url })
    await sandbox.control('incidents', { severity: 'Info', labels: { team: '2' }, id: 'inc_7' })
    await sandbox.control('incidents', { event_id: 'evt_again' })
    await sandbox.control('incidents', { event_id: 'evt_again' })
    const came = received.map(({ body }) => JSON.parse(body))
    expect(came[0].incident).toMatchObject({
      incident_severity: 'Info',
      labels: { team: '2' },
      incident_id: 'inc_7',
    })
    expect(came.map(({ event_id }) => event_id)).toEqual([
      expect.stringMatching(/^evt_\w{22}$/),
      'evt_again',
      'evt_again',
    ])
  })

  it('have the token that is given, another one or none', async () => {
    const other = await openSandbox({ webhookUrl: `${url}/hooks/incidents`, webhookToken: 'word' })
    for (const forged of [undefined, 'token', 'missing'])
      expect(await other.control('incidents', { forged })).toMatchObject({ delivered: true })
    await other.close()
    expect(received.map(({ headers }) => headers['x-sandbox-token'])).toEqual(['word', 'not word', undefined])
  })

  it('that are not accepted are sent again, and listed', async () => {
    const again = { retries: 2, retry_delay_ms: 1 }
    await sandbox.control('config', { webhook_url: `${url}/full` })
    expect(await sandbox.control('incidents', again)).toMatchObject({
      delivered: false,
      status: 503,
      answer: 'noted',
      deliveries: [{ attempts: [{ status: 503 }, { status: 503 }, { status: 503 }] }],
    })
    expect(received).toHaveLength(3)
    expect(new Set(received.map(({ body }) => body)).size).toBe(1)
    await sandbox.control('config', { webhook_url: 'http://127.0.0.1:1/' })
    const error = expect.any(String)
    expect(await sandbox.control('incidents', again)).toMatchObject({
      delivered: false,
      error,
      deliveries: [{ attempts: [{ error }, { error }, { error }] }],
    })
  })

  it('are sent again until they are taken, and not where they are refused', async () => {
    await sandbox.control('config', { webhook_url: `${url}/twice-full` })
    const again = { retries: 5, retry_delay_ms: 1 }
    expect(await sandbox.control('incidents', again)).toMatchObject({
      delivered: true,
      status: 202,
      deliveries: [{ attempts: [{ status: 503 }, { status: 503 }, { status: 202 }] }],
    })
    await sandbox.control('config', { webhook_url: `${url}/refused` })
    expect(await sandbox.control('incidents', again)).toMatchObject({
      delivered: false,
      deliveries: [{ attempts: [{ status: 400 }] }],
    })
  })

  it('of one incident build on each other, and can arrive in reverse and more than once', async () => {
    await sandbox.control('config', { webhook_url: url })
    const { deliveries } = await sandbox.control('incidents', {
      id: 'inc_7',
      updates: [{ severity: 'Info' }, { status: 'closed', event_id: 'evt_last' }],
      reordered: true,
      duplicates: 1,
    })
    const last = {
      incident_id: 'inc_7',
      incident_severity: 'Info',
      progress: 'Closed',
      incident_status: 'Ok',
    }
    const second = { ...last, progress: 'Triggered', incident_status: 'Info' }
    const first = { ...second, incident_severity: 'Critical', incident_status: 'Critical' }
    const came = received.map(({ body }) => JSON.parse(body))
    expect(came.map(({ incident }) => incident)).toMatchObject([last, last, second, second, first, first])
    expect(came[0].event_type).toBe('i_rslv')
    expect(came[0].event_id).toBe('evt_last')
    expect(new Set(came.map(({ event_id }) => event_id)).size).toBe(3)
    expect(deliveries.map(({ event }: { event: unknown }) => event)).toEqual(came)
  })
})
