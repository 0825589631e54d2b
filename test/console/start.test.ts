/** A run is started through the console exactly as it was planned, or not at all. */
import { expect, test } from 'vitest'
import { opsbook } from '../cli/support/opsbook.ts'
import { expectRefused, type Refusal } from './support/open-console.ts'
import { type ServedConsole, serveConsole } from './support/serve-console.ts'

const deploy = (message = 'Deploy?') => `apiVersion: opsbook/v1
name: deploy
title: Deploy the shop
inputs:
  type: object
  required: [region]
  properties:
    region: { type: string, enum: [north, south] }
    size: { type: integer, maximum: 5, default: 2 }
    token: { type: string, writeOnly: true }
steps:
  - { id: ok, uses: core/approve, with: { message: ${message} } }
  - { id: tell, uses: core/log, with: { message: "\${{ inputs.region }} \${{ inputs.size }}" } }
`
interface Planned {
  readonly shown: string
  readonly plan: { readonly runbook: string; readonly inputs: readonly object[]; readonly totals: object }
}

async function plan({ act }: ServedConsole, inputs: object): Promise<Planned> {
  const [status, planned] = await act('/api/v1/runbooks/deploy/plan', { inputs })
  expect(status).toBe(200)
  return planned
}

test('a program plans a run and starts exactly that plan, which serve executes', async () => {
  const console = await serveConsole({ deploy: deploy() })
  const { shown, plan: document } = await plan(console, { region: 'north', token: 'sesame42' })
  const given = ['-i', 'region=north', '-i', 'token=sesame42']
  const words = ['plan', 'deploy', '--sandbox', ...given, '--output', 'json']
  const printed = JSON.parse((await opsbook(words, { folder: console.folder })).stdout)
  expect(document).toEqual(printed)
  expect(JSON.stringify(document)).not.toContain('sesame42')
  const inputs = { region: 'north', token: 'sesame42' }
  const started = await console.act('/api/v1/runs', { runbook: 'deploy', shown, inputs })
  expect(started).toEqual([200, { run_id: expect.any(String), is_joined: false }])
  const [, { run_id }] = started
  const run = (): Promise<unknown> => console.json(`/api/v1/runs/${run_id}`)
  await expect.poll(run).toMatchObject({
    status: 'waiting',
    started_by: { source: 'console', verified: true },
    inputs: { region: 'north', size: 2 },
  })
  const inbox = await console.json(`/api/v1/runs/${run_id}/inbox`)
  const yes = { step: 'ok', shown: inbox.waiting[0]?.shown, approved: true }
  expect(await console.post(`/api/v1/runs/${run_id}/answers`, yes)).toMatchObject({ status: 200 })
  await expect.poll(run).toMatchObject({ status: 'succeeded' })
  const { audit } = await console.json('/api/v1/audit')
  expect(audit).toContainEqual(
    expect.objectContaining({
      act: 'start',
      shown,
      outcome: 'done',
      subject: { runbook: 'deploy', run: run_id },
    }),
  )
})

const changes: readonly (readonly [what: string, file: string, text: string, inputs: object])[] = [
  ['the runbook', 'runbooks/deploy.yaml', deploy('Really?'), { region: 'north' }],
  ['the configuration', 'opsbook.yaml', 'console: {}\nhttp: { deny-private: true }\n', { region: 'north' }],
  ['the inputs', 'unused', '', { region: 'south' }],
]

test('what cannot be planned is refused in the words of the command line, and a plan that has changed is not started', async () => {
  const console = await serveConsole({ deploy: deploy() })
  await console.write('runbooks/broken.yaml', 'apiVersion: opsbook/v1\nname: broken\nsteps: [{ id: x }]\n')
  await expectRefused(
    console,
    refusals.map(([address, ...others]) => [`/api/v1/${address}`, ...others]),
  )
  for (const [what, file, text, inputs] of changes) {
    const { shown } = await plan(console, { region: 'north' })
    await console.write(file, text)
    const answer = await console.act('/api/v1/runs', { runbook: 'deploy', shown, inputs })
    expect([what, ...answer]).toMatchObject([
      what,
      409,
      {
        code: 'InvalidInput',
        detail: expect.stringContaining('has changed since it was shown'),
        shown: expect.not.stringContaining(shown),
        plan: { runbook: 'deploy' },
      },
    ])
  }
  expect(await console.json('/api/v1/runs')).toEqual({ runs: [] })
})

test('a program starts a run with one request, and a repeated one starts no second run', async () => {
  const console = await serveConsole({ deploy: deploy() })
  const send = (region: string, key: string) =>
    console.post('/api/v1/runs', { runbook: 'deploy', inputs: { region } }, { 'idempotency-key': key })
  const answers = await Promise.all(Array.from({ length: 8 }, () => send('north', 'order-1')))
  const ids = new Set(answers.map(({ status, text }) => `${status} ${JSON.parse(text).run_id}`))
  expect([...ids]).toEqual([expect.stringMatching(/^200 run_/)])
  expect(JSON.parse((await send('north', 'order-1')).text)).toMatchObject({ is_joined: true })
  expect(await send('south', 'order-1')).toMatchObject({
    status: 400,
    text: expect.stringContaining('the key \\"order-1\\" belongs to'),
  })
  expect(await send('north', 'order 1')).toMatchObject({
    status: 400,
    text: expect.stringContaining('Idempotency-Key'),
  })
  const { runs } = (await console.json('/api/v1/runs')) as { runs: readonly object[] }
  expect(runs).toHaveLength(1)
})

const refusals: readonly Refusal[] = [
  ['runbooks/none/plan', {}, 404, 'there is no runbook'],
  ['runbooks/..%2Fopsbook/plan', {}, 404, 'there is no runbook'],
  ['runbooks/deploy/plan', {}, 400, 'the inputs do not fit deploy'],
  ['runbooks/deploy/plan', { inputs: { region: 'east' } }, 400, 'the inputs do not fit deploy'],
  ['runbooks/deploy/plan', { inputs: [] }, 400, 'body/inputs must be object'],
  ['runbooks/broken/plan', {}, 400, 'is not a valid runbook'],
  ['runs', { runbook: 'deploy', shown: null, inputs: { region: 'north' } }, 400, 'body/shown must be string'],
  ['runs', { runbook: ['deploy'], inputs: { region: 'north' } }, 400, 'body/runbook must be string'],
  ['runs', { runbook: 'deploy', inputs: {} }, 400, 'the inputs do not fit'],
  ['runs', { runbook: 'deploy', shown: 'x', inputs: {} }, 400, 'shown'],
  ['runs', { runbook: 'deploy', shown: '1-0123456789', inputs: {} }, 400, 'the inputs do not fit'],
  ['runs', { runbook: 'none', shown: '1-0123456789' }, 404, 'there is no runbook'],
  ['runs', { runbook: 'deploy', shown: '1-0123456789', by: 'bob' }, 400, 'additional properties'],
]

test('a secret that is missing here is named before anything is started', async () => {
  const secret = `apiVersion: opsbook/v1
name: deploy
secrets: [crm]
steps: [{ id: call, uses: core/http, with: { url: "https://crm.example/", secret-headers: { authorization: { secret: crm } } } }]
`
  const console = await serveConsole(
    { deploy: secret },
    {
      words: [],
      configured: 'secrets: { crm: env:CRM_TOKEN }\n',
    },
  )
  const { shown } = await plan(console, {})
  const { status, text } = await console.post('/api/v1/runs', { runbook: 'deploy', shown, inputs: {} })
  expect([status, text]).toEqual([expect.any(Number), expect.stringContaining('crm')])
  expect(status).toBeGreaterThanOrEqual(400)
  expect(await console.json('/api/v1/runs')).toEqual({ runs: [] })
})

test('the forms work without scripts: inputs, plan, start; what is secret is typed again', async () => {
  const console = await serveConsole({ deploy: deploy() })
  const form = await console.get('/runbooks/deploy/start', { accept: 'text/html' })
  expect(form.text).toContain('name="choice:region"')
  const given = { 'choice:region': '1', 'set:size': '9', 'set:token': 'sesame42' }
  const wrong = await console.send('/runbooks/deploy/plan', given)
  expect([wrong.status, wrong.text]).toEqual([
    400,
    expect.stringMatching(/role="alert">Nothing was started: the inputs do not fit deploy</),
  ])
  expect(wrong.text).toContain('value="9"')
  expect(wrong.text).not.toMatch(/--input|nothing was sent/)
  expect(wrong.text).not.toContain('sesame42')
  const planned = await console.send('/runbooks/deploy/plan', { ...given, 'set:size': '3' })
  expect([planned.status, planned.text]).toEqual([200, expect.stringContaining('Start this plan')])
  expect(planned.text).not.toContain('sesame42')
  const [, shown = ''] = /name="shown" value="([^"]+)"/.exec(planned.text) ?? []
  const sent = { 'choice:region': '1', 'set:size': '3', shown }
  const forgotten = await console.send('/runbooks/deploy/start', sent)
  expect([forgotten.status, forgotten.text]).toEqual([
    409,
    expect.stringContaining('has changed since it was shown'),
  ])
  const [, once = ''] = /name="once" value="([^"]+)"/.exec(planned.text) ?? []
  const click = () => console.send('/runbooks/deploy/start', { ...sent, once, 'set:token': 'sesame42' })
  const [started, again] = await Promise.all([click(), click()])
  expect([started.status, started.headers.location]).toEqual([303, expect.stringMatching(/^\/runs\/run_/)])
  expect([again.status, again.headers.location]).toEqual([303, started.headers.location])
  expect(await console.json('/api/v1/runs')).toMatchObject({ runs: [{}] })
})

test('a body that is nested too deeply is refused, whatever it is for', async () => {
  const { post } = await serveConsole({ deploy: deploy() })
  const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
  for (const levels of [101, 2000])
    expect(await post('/api/v1/runs', { runbook: 'deploy', inputs: { region: deep(levels) } })).toMatchObject(
      {
        status: 400,
        text: expect.stringContaining('nested deeper than 100 levels'),
      },
    )
})
