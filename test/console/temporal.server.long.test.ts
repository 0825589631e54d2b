/** Every act of the console on the Temporal engine: workers execute what people start and resume. */
import { expect, test } from 'vitest'
import { startStandIn } from '../api/stand-in.ts'
import { enginesOfFile } from '../engine/temporal/commands/open-engines.ts'
import { consoleHere, serveConsole } from './support/serve-console.ts'

const flow = `apiVersion: opsbook/v1
name: flow
inputs: { type: object, required: [url], properties: { url: { type: string } } }
triggers: [{ type: schedule, every: 24h, timezone: UTC, with: { url: "http://127.0.0.1:9/" } }]
steps:
  - { id: ok, uses: core/approve, with: { message: Go? } }
  - { id: make, uses: core/http, with: { method: POST, safety: create, url: "\${{ inputs.url }}" } }
  - { id: tell, uses: core/log, with: { message: "made \${{ steps.make.outputs.body.id }}" } }
`

const engines = enginesOfFile({}, { more: consoleHere })

test('a run is started, paused, answered, resolved and resumed, each as it was shown', async () => {
  const project = { folder: engines.folder, env: { ...engines.env, OPSBOOK_ENGINE: 'temporal' } }
  const console = await serveConsole({ flow }, { words: [], project })
  // It takes requests, and answers none of them.
  const { baseUrl } = await startStandIn((_, response) => void response.destroy())
  const inputs = { url: baseUrl }
  const runId = await console.start('flow', inputs, 'waiting')
  const address = `/api/v1/runs/${runId}`
  const send = async (path: string, document: object) => {
    const { status, text } = await console.post(`${address}/${path}`, document)
    return [status, JSON.parse(text)]
  }
  const becomes = (status: string, more: object = {}) =>
    expect.poll(() => console.json(address)).toMatchObject({ status, ...more })
  await becomes('waiting', { started_by: { source: 'console', verified: true } })
  const control = { run_id: runId, by: { source: 'console' } }
  expect(await send('pause', { shown: 0 })).toMatchObject([200, { ...control, kind: 'pause' }])
  await becomes('paused')
  expect(await send('cancel', { shown: 0 })).toMatchObject([409, { run: { status: 'paused' } }])
  expect(await send('unpause', { shown: 1 })).toMatchObject([200, control])
  await becomes('waiting')
  const { waiting } = (await console.json(`${address}/inbox`)) as { waiting: { shown: string }[] }
  const yes = { step: 'ok', shown: waiting[0]?.shown, approved: true }
  const answers = await Promise.all([send('answers', yes), send('answers', yes)])
  expect(answers.map(([status]) => status).toSorted()).toEqual([200, 409])
  await becomes('unknown')
  const readOutcome = async (): Promise<string> => {
    const { outcomes } = (await console.json(`${address}/outcomes`)) as { outcomes: { shown: string }[] }
    expect(outcomes).toMatchObject([{ path: 'make', attempt: 1, sent: { input: { method: 'POST' } } }])
    return outcomes[0]?.shown ?? ''
  }
  const first = { step: 'make', shown: await readOutcome(), decision: 'retry' }
  expect(await send('decisions', first)).toMatchObject([200, { left: [] }])
  const [, plain] = await send('comparison', {})
  expect(await send('resume', { shown: plain.shown })).toMatchObject([200, control])
  await becomes('unknown', { resumes: [{}] })
  expect(await send('decisions', first)).toMatchObject([
    409,
    { detail: expect.stringContaining('has changed since it was shown'), outcomes: [{ path: 'make' }] },
  ])
  const decided = {
    step: 'make',
    shown: await readOutcome(),
    decision: 'succeeded',
    outputs: { body: { id: 'x1' } },
  }
  expect(await send('decisions', decided)).toMatchObject([200, { left: [] }])
  expect(await send('decisions', decided)).toMatchObject([
    409,
    { detail: expect.stringMatching(/make of \S+ is resolved already: as succeeded by/) },
  ])
  const compared = await send('comparison', { skip: ['tell'] })
  expect(compared).toMatchObject([
    200,
    {
      comparison: {
        steps: expect.arrayContaining([expect.objectContaining({ path: 'tell', fate: 'skipped' })]),
      },
    },
  ])
  const { shown } = compared[1] as { shown: string }
  expect(await send('resume', { shown })).toMatchObject([409, { comparison: { run_id: runId } }])
  expect(await send('resume', { skip: ['tell'], shown })).toMatchObject([200, control])
  await becomes('succeeded', { resumes: [{}, { by: { source: 'console' } }] })
})

test('automatic starts are paused and resumed, and a schedule is triggered', async () => {
  const console = await serveConsole(
    {},
    {
      words: [],
      project: { folder: engines.folder, env: { ...engines.env, OPSBOOK_ENGINE: 'temporal' } },
    },
  )
  const post = async (path: string, document: object) => {
    const { status, text } = await console.post(`/api/v1/${path}`, document)
    return [status, JSON.parse(text)]
  }
  const paused = await post('triggers/pause', { shown: 'active' })
  expect(paused).toMatchObject([200, { paused: { by: { source: 'console' } } }])
  expect(await post('triggers/pause', { shown: 'active' })).toMatchObject([409, {}])
  const { since } = (paused[1] as { paused: { since: string } }).paused
  expect(await post('triggers/unpause', { shown: since })).toEqual([200, { paused: null }])
  const triggered = await post('schedules/flow/trigger', { shown: 'never' })
  expect(triggered).toMatchObject([200, { schedule: 'flow', run_id: expect.any(String) }])
  expect(await post('schedules/flow/pause', { shown: 'active' })).toMatchObject([200, { state: 'paused' }])
  const { schedules } = (await console.json('/api/v1/schedules')) as {
    schedules: { paused: { since: string } }[]
  }
  expect(schedules).toMatchObject([{ state: 'paused', paused: { by: { source: 'console' } } }])
  expect(await post('schedules/flow/pause', { shown: 'active' })).toMatchObject([409, {}])
  const again = { shown: 'paused' }
  expect(await post('schedules/flow/unpause', again)).toMatchObject([200, { state: 'active' }])
})
