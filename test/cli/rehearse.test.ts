import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startByEvent } from '../../src/cli/rehearse/rehearse-events.ts'
import { openEventStore } from '../../src/engine/embedded/received-events/event-store.ts'
import { loadRunbook } from '../../src/load/index.ts'
import { evaluateEvent } from '../../src/triggers/evaluate/index.ts'
import { newFolder, opsbook } from './support/opsbook.ts'

const look = `apiVersion: opsbook/v1
name: look
inputs:
  type: object
  required: [hosts]
  properties:
    hosts: { type: array, items: { type: string } }
    key: { type: string, writeOnly: true, default: "geheimnis" }
steps:
  - id: checks
    for-each: { items: "\${{ inputs.hosts }}", as: host, tolerate: all }
    uses: monit/tools/invoke
    with: { target_locator: "\${{ host }}", tools: [{ tool: os.overview }] }
  - { id: ask, uses: core/approve, with: { message: "Register it?" } }
  - { id: notes, uses: core/write, save-as: notes.txt, with: { content: "key \${{ inputs.key }}" } }
outputs: { failed: "\${{ size(steps.checks.outputs.failures) }}" }
`

it('rehearses recorded runs of the embedded engine with a changed runbook', async () => {
  const folder = await newFolder({ 'look.yaml': look })
  const env = { OPSBOOK_DATA_DIR: join(folder, 'data') }
  for (const hosts of ['[web-01, down-01]', '[disk-01]']) {
    const words = ['run', 'look.yaml', '--sandbox', '--yes', '--input', `hosts=${hosts}`]
    expect(await opsbook(words, { folder, env })).toMatchObject({ code: 0 })
  }
  const rehearse = async (text: string, ...more: readonly string[]) => {
    await writeFile(join(folder, 'look.yaml'), text)
    return opsbook(['rehearse', 'look.yaml', ...more], { folder, env })
  }
  const same = await rehearse(look)
  expect(same).toMatchObject({ code: 0, stderr: '' })
  expect(same.stdout).toMatch(/^look: of 2 runs since .*, all take the same way\n$/)

  const strict = await rehearse(look.replace('tolerate: all', 'max-parallel: 2'), '--strict')
  expect(strict.code).toBe(1)
  expect(strict.stdout).toMatch(/1 takes the same way, 1 would be different/)
  expect(strict.stdout).toContain('✖ 1 would end as failed with TooManyFailures at checks (was succeeded)')

  const one = await rehearse(look.replace('Register it?', 'Really?'), '--runs', 'latest')
  expect(one.stdout).toMatch(/^look: the run would be different\n/)
  const now = await rehearse(look, '--runs', 'latest')
  expect(now.stdout).toBe('look: the run takes the same way\n')

  const github = await rehearse(look.replace('Register it?', 'Really?'), '--output', 'github')
  expect(github.stdout).toContain(
    '::warning file=look.yaml,line=14,title=2 would ask something else at ask::run_',
  )
  const masked = await rehearse(look.replace('content: "key', 'content: "a key'), '--output', 'json')
  expect(masked.stdout).not.toContain('geheimnis')
  const { summary, runs } = JSON.parse(masked.stdout)
  expect(summary).toEqual({ runs: 2, same: 0, different: 2, open: 0, left_out: 0, not_ended: 0 })
  expect(runs[0]).toMatchObject({
    result: 'different',
    differences: [{ kind: 'write', step: 'notes', what: 'would call notes with other arguments' }],
    unknown: [],
  })
})

it('rehearses a run that was cancelled', async () => {
  const folder = await newFolder({ 'look.yaml': look })
  const env = { OPSBOOK_DATA_DIR: join(folder, 'data') }
  const run = opsbook(['run', 'look.yaml', '--sandbox', '--input', 'hosts=[web-01]'], { folder, env })
  await expect.poll(async () => (await opsbook(['inbox'], { folder, env })).stdout).toContain('Register it?')
  expect(await opsbook(['cancel', 'latest'], { folder, env })).toMatchObject({ code: 0 })
  await run
  const { stdout } = await opsbook(['rehearse', 'look.yaml', '--output', 'json'], { folder, env })
  expect(JSON.parse(stdout).summary).toMatchObject({ runs: 1, same: 1, left_out: 0, not_ended: 0 })
})

it('says what is wrong with a rehearsal', async () => {
  const other = look.replace('name: look', 'name: other')
  const folder = await newFolder({ 'look.yaml': look, 'other.yaml': other })
  const env = { OPSBOOK_DATA_DIR: join(folder, 'data') }
  const rehearse = async (...words: readonly string[]) => opsbook(['rehearse', ...words], { folder, env })
  expect(await rehearse('look.yaml')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no runs in'),
  })
  await opsbook(['run', 'look.yaml', '--sandbox', '--yes', '--input', 'hosts=[a]'], { folder, env })
  expect(await rehearse('other.yaml')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no run of other was started in that time'),
  })
  expect(await rehearse('other.yaml', '--runs', 'latest')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is a run of look, and not of other'),
  })
  expect(await rehearse('look.yaml', '--since', 'soon')).toMatchObject({ code: 2 })
  await writeFile(join(folder, 'look.yaml'), look.replace('steps.checks', 'steps.check'))
  const wrong = await rehearse('look.yaml')
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "checks"?') })
})

const listening = `apiVersion: opsbook/v1
name: look
inputs: { properties: { host: { type: string } }, required: [host] }
triggers:
  - type: incident
    where: \${{ event.severity == 'high' }}
    with: { host: "\${{ event.host }}" }
    max-starts: { count: 10, per: 1h }
steps: [{ id: hello, uses: core/log, with: { message: "\${{ inputs.host }}" } }]
`

it('decides anew about the events of that time', async () => {
  const folder = await newFolder({ 'look.yaml': listening })
  const dataDir = join(folder, 'data')
  const { plan } = loadRunbook(listening, [])
  if (!plan) throw new Error('the runbook is not valid')
  const runbook = { plan, file: 'look.yaml', text: listening }
  const store = openEventStore({ dataDir })
  for (const [index, severity] of ['high', 'low', 'high', 'medium', 'high', 'high'].entries()) {
    const event = { hook: 'incidents', id: `e${index}`, type: 'incident', receivedAtMs: Date.now() }
    const body = { severity, host: `web-${index}` }
    await store.evaluation(evaluateEvent({ ...event, body }, { runbooks: [runbook], actions: [] }))
  }
  // A list without bodies holds nothing large.
  const listed = await store.listEvents({ isWithoutBody: true })
  expect(listed.map((event) => [event.event_id, 'body' in event])).toEqual(
    [5, 4, 3, 2, 1, 0].map((index) => [`e${index}`, false]),
  )
  await store.close()
  const rehearse = async (text: string, ...more: readonly string[]) => {
    await writeFile(join(folder, 'look.yaml'), text)
    return (await opsbook(['rehearse', 'look.yaml', ...more], { folder, env: { OPSBOOK_DATA_DIR: dataDir } }))
      .stdout
  }
  expect(await rehearse(listening)).toContain('of 6 events, all would have started the same runs')
  const wider = await rehearse(listening.replace("== 'high'", "!= 'low'"))
  expect(wider).toContain('of 6 events, 1 more would have started a run\n      + incidents/e3\n')
  const limited = await rehearse(listening.replace('count: 10', 'count: 2'))
  expect(limited).toContain(
    'of 6 events, 2 would not have started a run, 2 in 1 burst would have been held back',
  )
  const json = JSON.parse(await rehearse(listening.replace("== 'high'", "== 'low'"), '--output', 'json'))
  expect(json.events).toMatchObject({
    events: 6,
    more: [{ event_id: 'e1' }],
    fewer: [{ event_id: 'e0', because: 'where_false' }, {}, {}, {}],
    held_back: { events: 0, bursts: 0 },
  })
})

it('takes the inputs of a run from its event, by the trigger as it is now', () => {
  const load = (text: string) => {
    const { plan } = loadRunbook(text, [])
    if (!plan) throw new Error('the runbook is not valid')
    return { plan, file: 'look.yaml', text }
  }
  const before = load(listening)
  const event = {
    hook: 'incidents',
    event_id: 'e1',
    type: 'incident',
    received_at: '2026-01-01T00:00:00Z',
    deliveries: 1,
    starts: [],
    body: { severity: 'high', host: 'web-1' },
  }
  const start = (text: string, host = 'web-1') =>
    startByEvent(event, { plan: before.plan, inputs: { host } }, 0, { runbook: load(text), actions: [] })
  expect(start(listening)).toEqual({ inputs: { host: 'web-1' } })
  expect(start(listening.replace('"${{ event.host }}"', '"db-${{ event.host }}"'))).toEqual({
    inputs: { host: 'db-web-1' },
  })
  expect(start(listening.replace("'high'", "'low'"))).toEqual({
    refusal: "its event would not start it: its condition is false: event.severity == 'low'",
  })
  // The event does not give the recorded inputs any more, so they count.
  expect(start(listening, 'another')).toBeUndefined()
})
