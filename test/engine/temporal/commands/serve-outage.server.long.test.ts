import { beforeAll, expect, inject, test } from 'vitest'
import { requireBuild, start } from '../../../cli/support/process.ts'
import { openWay } from '../support/open-way.ts'
import { enginesOfTest } from './open-engines.ts'

const look = `apiVersion: opsbook/v1
name: outage
inputs: { properties: { host: { type: string } }, required: [host] }
triggers:
  - type: incident
    hook: look
    dedupe-key: \${{ event.incident.id }}
    with: { host: "\${{ event.incident.host }}" }
steps:
  - { id: note, uses: core/set, with: { host: "\${{ inputs.host }}" } }
`
const hooks = 'hooks:\n  look: { id: "${{ body.event_id }}", map: { incident: "${{ body.data }}" } }\n'

beforeAll(requireBuild)

test('while the server is away events are answered with 503, and the same ones with 200 once it is back: one run', async () => {
  const way = await openWay(inject('temporalAddress'))
  const engines = await enginesOfTest({ 'look.yaml': look }, { more: hooks, address: way.address })
  const env = { ...engines.env, OPSBOOK_ENGINE: 'temporal' }
  const serve = start(['serve', 'look.yaml', '--listen', '127.0.0.1:0'], env, engines.folder)
  const url = /http:\S+/.exec(await serve.until('stdout', '\n'))?.[0] ?? ''
  const ready = async () => (await fetch(`${url}/readyz`)).status
  const send = async (id: string, incident: string) => {
    const answer = await fetch(`${url}/hooks/look`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ event_id: id, data: { id: incident, host: 'web-01' } }),
    })
    const body = (await answer.json()) as { readonly starts?: object }
    return { status: answer.status, again: answer.headers.get('retry-after'), body }
  }
  const eventIds = ['e1', 'e2', 'e3']
  const sendAll = () => Promise.all(eventIds.map((id) => send(id, 'inc-1')))
  expect(await send('before', 'inc-0')).toMatchObject({ status: 200 })

  way.close(true)
  const body = { error: 'no event can be taken now; come again', id: expect.any(String) }
  const refused = { status: 503, again: '5', body }
  expect(await sendAll()).toEqual(eventIds.map(() => refused))
  expect(await ready()).toBe(503)

  way.close(false)
  await expect.poll(ready).toBe(200)
  const starts = new Map<string, unknown>()
  for (const id of eventIds)
    await expect
      .poll(async () => {
        const { status, body } = await send(id, 'inc-1')
        starts.set(id, body.starts)
        return status
      })
      .toBe(200)
  const runId = expect.stringMatching(/^run_outage-inc-1/)
  expect([...starts.values()]).toEqual([
    [{ runbook: 'outage', run_id: runId }],
    [{ runbook: 'outage', because: 'duplicate' }],
    [{ runbook: 'outage', because: 'duplicate' }],
  ])
  // What was answered before has lasted.
  expect(await send('before', 'inc-0')).toMatchObject({ status: 200 })
  const runs = async () =>
    JSON.parse((await engines.temporal(['runs', '--runbook', 'outage', '-o', 'json'])).stdout).runs
  await expect.poll(runs).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }])
  serve.child.kill('SIGTERM')
  const { code, stderr } = await serve.ended
  expect(code, stderr).toBe(0)
}, 180_000)
