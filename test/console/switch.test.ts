/** Automatic starts are paused, resumed and triggered through the console as they were shown. */
import { expect, test } from 'vitest'
import { newFolder } from '../cli/support/opsbook.ts'
import { openConsole } from './support/open-console.ts'
import { record } from './support/recorded.ts'
import { consoleHere, type ServedConsole, serveConsole } from './support/serve-console.ts'

const hourly = `apiVersion: opsbook/v1
name: hourly
triggers: [{ type: schedule, every: 7d, timezone: UTC }]
steps: [{ id: tell, uses: core/log, with: { message: hello } }]
`

interface Schedules {
  readonly paused?: { readonly since: string }
  readonly schedules: readonly {
    readonly state: string
    readonly paused?: { readonly since: string }
    readonly last: readonly { readonly at: string; readonly run_id?: string }[]
  }[]
}

const schedules = async (console: ServedConsole): Promise<Schedules> =>
  (await console.json('/api/v1/schedules')) as Schedules

test('a schedule is triggered once, paused and resumed, each as it was shown', async () => {
  const console = await serveConsole({ hourly })
  const address = '/api/v1/schedules/hourly'
  const send = (verb: string, shown: string) =>
    console.act(`${address}/${verb}`, { shown, comment: 'because' })
  // Two people who want one run get one run.
  const both = await Promise.all([send('trigger', 'never'), send('trigger', 'never')])
  const [first, second] = both.toSorted(([one], [other]) => one - other)
  expect(first).toEqual([200, { schedule: 'hourly', run_id: expect.any(String) }])
  expect(second).toEqual([
    409,
    expect.objectContaining({
      detail: 'hourly was started since that was shown',
      schedule: expect.objectContaining({ id: 'hourly' }),
    }),
  ])
  const { run_id: runId } = first?.[1] ?? {}
  await expect.poll(() => console.json(`/api/v1/runs/${runId}`)).toMatchObject({ status: 'succeeded' })
  expect((await schedules(console)).schedules[0]?.last).toMatchObject([
    { run_id: runId, started_by: { source: 'console' } },
  ])
  expect(await send('pause', 'active')).toEqual([200, { schedule: 'hourly', state: 'paused' }])
  expect(await send('pause', 'active')).toEqual([
    409,
    expect.objectContaining({
      detail: expect.stringMatching(/hourly was paused by \S+ since that was shown/),
    }),
  ])
  const [paused] = (await schedules(console)).schedules
  expect(paused).toMatchObject({ state: 'paused', paused: { by: { source: 'console' }, comment: 'because' } })
  expect(await send('unpause', paused?.paused?.since ?? '')).toEqual([
    200,
    { schedule: 'hourly', state: 'active' },
  ])
  expect((await schedules(console)).schedules).toMatchObject([{ state: 'active' }])
  expect((await console.post('/api/v1/schedules/none/trigger', { shown: 'never' })).status).toBe(404)
  expect((await console.post(`${address}/delete`, { shown: 'never' })).status).toBe(404)
})

test('all automatic starts are paused and resumed, as forms too', async () => {
  const console = await serveConsole({ hourly })
  const page = await console.get('/schedules', { accept: 'text/html' })
  expect(page.text).toMatch(/action="\/triggers\/pause"[\s\S]*action="\/schedules\/hourly\/trigger"/)
  const sent = await console.send('/triggers/pause', {
    shown: 'active',
    back: 'events',
    comment: 'until 14:00',
  })
  expect([sent.status, sent.headers.location]).toEqual([303, '/events'])
  const { paused } = await schedules(console)
  expect(paused).toMatchObject({ by: { source: 'console', verified: true }, comment: 'until 14:00' })
  expect(await console.document('triggers')).toEqual({ paused })
  const late = await console.send('/triggers/pause', { shown: 'active', back: 'https://evil.example' })
  expect([late.status, late.text]).toEqual([409, expect.stringMatching(/role="alert">[\s\S]*were paused by/)])
  const unpause = (shown?: string) => console.act('/api/v1/triggers/unpause', { shown })
  expect(await unpause('active')).toMatchObject([409, { paused }])
  expect(await unpause(paused?.since)).toEqual([200, { paused: null }])
  const { audit } = await console.json('/api/v1/audit')
  for (const act of ['pause-triggers', 'unpause-triggers'])
    expect(audit).toContainEqual(expect.objectContaining({ act }))
})

const asking = `apiVersion: opsbook/v1
name: asking
inputs: { type: object, properties: { token: { type: string, writeOnly: true } } }
triggers: [{ type: incident, hook: pager, where: "\${{ event.n == 1 }}", with: { token: "\${{ default(event.token, '') }}" } }]
steps: [{ id: ok, uses: core/approve, with: { message: "go?", from: { not-starter: true } } }]
`
const pager = `hooks:
  pager:
    auth: { type: token, header: x-token, secret: env:PAGER_TOKEN }
    event: incident
    id: "\${{ body.id }}"
    map: { n: "\${{ body.n }}", token: "\${{ default(body.token, null) }}" }
`

test('a recorded event is sent again, once for each id, and who sends it counts as who starts its runs', async () => {
  const folder = await newFolder({ 'opsbook.yaml': consoleHere + pager })
  const project = { folder, env: { PAGER_TOKEN: 'token-of-the-pager' } }
  const console = await serveConsole({ asking }, { project })
  const deliver = (body: object): Promise<Response> =>
    fetch(`${console.serving.url}/hooks/pager`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-token': 'token-of-the-pager' },
      body: JSON.stringify(body),
    })
  expect((await deliver({ id: 'one/1', n: 1 })).status).toBe(200)
  expect((await deliver({ id: 'secret', n: 1, token: 'canary-5512-of-the-event' })).status).toBe(200)
  const path = `/events/pager/${encodeURIComponent('one/1')}/send-again`
  const again = () => console.act(`/api/v1${path}`, { shown: '2' })
  const [status, event] = await again()
  expect([status, event]).toEqual([
    200,
    expect.objectContaining({ event_id: 'one/1~2', body: { n: 1, token: null }, deliveries: 1 }),
  ])
  expect(await again()).toEqual([200, { ...event, deliveries: 2 }])
  const [{ run_id: runId }] = event.starts
  expect(await console.json(`/api/v1/runs/${runId}`)).toMatchObject({
    started_from: { kind: 'event', event_id: 'one/1~2', sent_by: { source: 'console' } },
  })
  await expect.poll(async () => (await console.json(`/api/v1/runs/${runId}`)).status).toBe('waiting')
  const { waiting } = await console.json('/api/v1/inbox')
  const asked = waiting.find((one: { readonly run_id: string }) => one.run_id === runId)
  const refused = await console.act(`/api/v1/runs/${runId}/answers`, {
    ...{ step: 'ok', approved: true, shown: asked.questions[0].shown },
  })
  expect(refused).toMatchObject([400, { detail: expect.stringContaining('started or changed the run') }])

  const page = await console.get(`/events/${encodeURIComponent('pager/one/1')}`, { accept: 'text/html' })
  const [, shown = ''] = /action="[^"]*send-again"[\s\S]*?name="shown" value="(\w+)"/.exec(page.text) ?? []
  const sent = await console.send(path, { shown })
  expect([sent.status, sent.headers.location]).toEqual([
    303,
    `/events/${encodeURIComponent(`pager/one/1~${shown}`)}`,
  ])
  expect(await console.act('/api/v1/events/pager/secret/send-again', { shown: 'x' })).toMatchObject([
    400,
    { detail: expect.stringContaining('some of its values are masked') },
  ])
  const { audit } = await console.json('/api/v1/audit')
  expect(audit).toContainEqual(expect.objectContaining({ act: 'send-event-again' }))
})

test('only an admin may', async () => {
  const { dataDir, folder } = await record()
  const console = await openConsole(dataDir, { folder, roles: ['operator', 'approver'] })
  for (const path of ['triggers/pause', 'triggers/unpause', 'schedules/loop/trigger', 'schedules/loop/pause'])
    expect([path, (await console.post(`/api/v1/${path}`, { shown: 'active' })).status]).toEqual([path, 403])
})
