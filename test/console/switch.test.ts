/** Automatic starts are paused, resumed and triggered through the console as they were shown. */
import { expect, test } from 'vitest'
import { openConsole } from './support/open-console.ts'
import { record } from './support/recorded.ts'
import { type ServedConsole, serveConsole } from './support/serve-console.ts'

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

test('only an admin may', async () => {
  const { dataDir, folder } = await record()
  const console = await openConsole(dataDir, { folder, roles: ['operator', 'approver'] })
  for (const path of ['triggers/pause', 'triggers/unpause', 'schedules/loop/trigger', 'schedules/loop/pause'])
    expect([path, (await console.post(`/api/v1/${path}`, { shown: 'active' })).status]).toEqual([path, 403])
})
