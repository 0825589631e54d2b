import { join } from 'node:path'
import { answerQuestion, openRunReader, type RecordedEvent, RunbookError } from 'opsbook'
import { expect, it } from 'vitest'
import { startChild } from './support/child.ts'
import { createStage } from './support/stage.ts'

const step = (id: string, action: string, more = ''): string =>
  `  - { id: ${id}, uses: note/${action}, with: { name: ${id} }${more} }\n`

it('has nothing to open where nothing has been run', () => {
  const { dataDir } = createStage()
  expect(openRunReader(dataDir)).toBeUndefined()
  expect(openRunReader(join(dataDir, 'none'))).toBeUndefined()
})

it('lists runs, the newest first, by what is asked for', async () => {
  const stage = createStage()
  const text = (name: string, label: string, action: string): string =>
    `apiVersion: opsbook/v1\nname: ${name}\ntitle: Run ${name}\nlabels: { team: ${label} }\nsteps:\n${step('only', action)}`
  const now = Date.UTC(2026, 0, 1)
  for (const [minute, name, label] of [
    [0, 'one', 'web'],
    [1, 'two', 'web'],
    [2, 'two', 'data'],
  ] as const) {
    stage.answer = () => {
      if (minute === 1) throw new RunbookError('AccessDenied', 'no')
      return {}
    }
    const clock = { now: () => now + minute * 60_000, waitUntil: () => Promise.resolve() }
    await stage.run(text(name, label, 'read'), { clock })
  }
  const reader = stage.reader()
  const seen = (filter: Parameters<typeof reader.listRuns>[0]) =>
    reader.listRuns(filter).map(({ runbook, status, labels }) => `${runbook} ${labels['team']} ${status}`)
  expect(seen({})).toEqual(['two data succeeded', 'two web failed', 'one web succeeded'])
  expect(seen({ runbook: 'two' })).toEqual(['two data succeeded', 'two web failed'])
  expect(seen({ status: ['failed', 'unknown'] })).toEqual(['two web failed'])
  expect(seen({ labels: { team: 'web' }, limit: 1 })).toEqual(['two web failed'])
  expect(seen({ startedFromMs: now + 60_000, startedBeforeMs: now + 120_000 })).toEqual(['two web failed'])
  expect(reader.listRuns()[0]).toMatchObject({
    title: 'Run two',
    started_at: '2026-01-01T00:02:00.000Z',
    ended_at: '2026-01-01T00:02:00.000Z',
  })
})

it('shows one run with everything that became of it', async () => {
  const stage = createStage()
  stage.answer = ({ name, attempt }) => {
    if (name === 'soft' && attempt === 1) throw new RunbookError('AccessDenied', 'no')
    return { name }
  }
  const steps = `${step('soft', 'read', ', continue-on-error: true')}  - { id: idle, if: "\${{ inputs.count > 3 }}", uses: core/log, with: { message: hi } }\n`
  const { run_id, artifacts_dir } = await stage.run(steps, { inputs: { count: 2 }, connection: 'staging' })
  expect(stage.reader().readRun(run_id)).toMatchObject({
    run_id,
    runbook: 'test',
    status: 'succeeded',
    inputs: { count: 2 },
    connection: 'staging',
    plan: { name: 'test', steps: [{ id: 'soft' }, { id: 'idle' }] },
    warnings: [{ code: 'AccessDenied', path: 'soft' }],
    steps: [
      { path: 'soft', status: 'failed', is_warning: true, error: { code: 'AccessDenied' } },
      { path: 'idle', status: 'skipped', condition: 'inputs.count > 3', values: { 'inputs.count': 2 } },
    ],
    questions: [],
    artifacts: [],
    artifacts_dir,
  })
  expect(stage.reader().readRun('run_x')).toBeUndefined()
})

it('has every event but what is noise, and leaves large outputs to the journal', async () => {
  const stage = createStage()
  stage.answer = ({ name }) => ({ text: name === 'large' ? 'x'.repeat(100_000) : 'small' })
  const steps = `${step('small', 'read', ', timeout: 1m')}${step('large', 'read')}`
  const { run_id } = await stage.run(steps)
  const recorded = [...stage.reader().readEvents(run_id)]
  expect(recorded.map(({ seq }) => seq)).toEqual(recorded.map((_, index) => index + 1))
  const told = stage.events.filter((event) => event.type !== 'waiting')
  const withoutText = (event: object): object => ({ ...event, outputs: undefined })
  expect(recorded.map(({ event }) => withoutText(event))).toEqual(told.map(withoutText))
  const finished = recorded.filter(({ event }) => event.type === 'step_finished')
  expect(finished.map(({ is_trimmed }) => is_trimmed)).toEqual([undefined, true])
  expect([...stage.reader().readAttempts(run_id)].map(({ output }) => JSON.stringify(output).length)).toEqual(
    [16, 100_011],
  )
})

it('gives the events after any number, though events of one commit share a row of bounded size', async () => {
  const stage = createStage()
  const { run_id } = await stage.run(
    `  - { id: each, for-each: { items: "\${{ inputs.items }}", max-parallel: 500 }, uses: note/read, with: { name: x } }\n`,
    { inputs: { items: Array.from({ length: 500 }, (_, index) => index) } },
  )
  const recorded = [...stage.reader().readEvents(run_id)]
  expect(recorded.map(({ event }) => event.type)).toEqual(stage.events.map(({ type }) => type))
  for (let after = 0; after <= recorded.length; after += 41)
    expect([...stage.reader().readEvents(run_id, after)]).toEqual(recorded.slice(after))
  const lengths = stage
    .rows('SELECT length(events) AS length FROM events')
    .map(({ length }) => Number(length))
  expect(lengths.length).toBeLessThan(recorded.length / 10)
  expect(Math.max(...lengths)).toBeLessThan(68_000)
})

it('follows a run of another process while it grows, to its end', async () => {
  const stage = createStage()
  const text = `apiVersion: opsbook/v1\nname: test\nsteps:\n${step('first', 'make')}${step('hang', 'read')}`
  const job = { dataDir: stage.dataDir, callsFile: join(stage.dataDir, 'calls.txt'), text, hangs: ['hang'] }
  const child = startChild(job)
  const { run_id } = await child.line(({ type }) => type === 'run_started')
  const seen: RecordedEvent[] = []
  for await (const recorded of stage.reader().followEvents(String(run_id))) {
    seen.push(recorded)
    const { event } = recorded
    if (event.type === 'attempt_started' && event.path === 'hang') await child.kill()
  }
  expect(seen.map(({ event }) => event.type)).toEqual([
    'run_started',
    'step_started',
    'attempt_started',
    'attempt_succeeded',
    'step_finished',
    'step_started',
    'attempt_started',
  ])
})

it('stops following when its signal is aborted', async () => {
  const stage = createStage()
  const handle = await stage.start(`  - { id: pause, uses: core/wait, with: { for: 1h } }\n`)
  const stop = new AbortController()
  for await (const { event } of stage.reader().followEvents(handle.runId, { signal: stop.signal })) {
    if (event.type === 'waiting') stop.abort()
  }
  handle.interrupt()
  await handle.result
  const last = [...stage.reader().readEvents(handle.runId)].at(-1)
  const rest = []
  for await (const recorded of stage.reader().followEvents(handle.runId, { afterSeq: (last?.seq ?? 0) - 1 }))
    rest.push(recorded)
  expect(rest).toEqual([last])
})

it('names the first hundred failures that were let pass, and says how many more there were', async () => {
  const stage = createStage()
  stage.answer = ({ name }) => {
    throw new RunbookError('AccessDenied', `${name} is not allowed`)
  }
  const steps = `
  - id: each
    for-each: { items: "\${{ inputs.items }}", max-parallel: 20 }
    steps:
      - { id: soft, uses: note/read, with: { name: soft }, continue-on-error: true }
`
  const report = await stage.run(steps, { inputs: { items: Array(130).fill(0) }, key: 'many' })
  expect(report).toMatchObject({ status: 'succeeded', warnings_left_out: 30 })
  expect(report.warnings).toHaveLength(100)
  const record = stage.reader().readRun(report.run_id)
  expect(record).toMatchObject({ warnings: report.warnings, warnings_left_out: 30 })
  const joined = await stage.start(steps, { inputs: { items: Array(130).fill(0) }, key: 'many' })
  expect(await joined.result).toEqual(report)
})

it('lists what an open run is at: the question that ends first, else the step that began last', async () => {
  const stage = createStage()
  const at = () => stage.reader().listRuns()[0]?.current_step
  let atRead = Promise.resolve<unknown>(undefined)
  stage.answer = ({ name }) => {
    // Its events are written a moment later.
    if (name === 'read') atRead = expect.poll(at).toMatchObject({ path: 'each[0]/read' })
    return atRead.then(() => ({}))
  }
  const handle = await stage.start(`
  - id: each
    for-each: { items: "\${{ [1] }}" }
    steps:
    ${step('read', 'read').trim()}
  - id: both
    parallel:
      - { id: late, uses: core/approve, with: { message: Go?, timeout: 2h } }
      - { id: soon, uses: core/approve, with: { message: Go?, timeout: 1h } }
      - { id: pause, uses: core/wait, with: { for: 3h } }
`)
  const answer = (at: string) =>
    answerQuestion({ dataDir: stage.dataDir, runId: handle.runId, step: at, answer: { approved: true, by } })
  const by = { name: 'ada', source: 'console' } as const
  const asked = { path: 'both/soon', reason: 'approval', until: expect.any(String) }
  await expect.poll(at).toMatchObject(asked)
  await atRead
  await answer('both/soon')
  await expect.poll(at).toMatchObject({ ...asked, path: 'both/late' })
  await answer('both/late')
  await expect.poll(at).toMatchObject({ path: 'both/pause', reason: 'wait', until: expect.any(String) })
  handle.interrupt()
  await handle.result
  expect(at()).toBeUndefined()
})
