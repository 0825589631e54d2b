import type { RunHandle, RunReport } from 'opsbook'
import { expect, it } from 'vitest'
import { createEngineClock } from '../conformance/engine-clock.ts'
import { createStage, type Stage } from './support/stage.ts'

/** A stage with its own clock, on which one call takes a given time. */
function createTimedStage() {
  const stage = createStage()
  const clock = createEngineClock(Date.UTC(2026, 0, 1))
  const takes: Record<string, number> = {}
  stage.answer = async ({ name }) => {
    await clock.waitUntil(clock.now() + (takes[name] ?? 0) * 1000)
    return { name }
  }
  const end = (begin: Promise<RunHandle>, interruptAt?: string): Promise<RunReport> =>
    clock.run(
      (async () => {
        const handle = await begin
        for await (const event of handle.events)
          if (event.type === 'waiting' && event.path === interruptAt) handle.interrupt()
        return handle.result
      })(),
    )
  return {
    stage,
    /** How many seconds calls take from now on, by their names. */
    takes,
    run: (steps: string, interruptAt?: string) => end(stage.start(steps, { clock }), interruptAt),
    resume: (runId: string, interruptAt?: string) => end(stage.reopen(runId, { clock }), interruptAt),
  }
}

/** What is called from now on. */
function forget({ calls }: Stage): void {
  calls.splice(0)
}

it('remembers that a read was cut off by the limit of its step: what followed from it follows again', async () => {
  const { stage, takes, run, resume } = createTimedStage()
  takes['look'] = 60
  const steps = `
  - { id: look, uses: note/read, with: { name: look }, timeout: 10s, continue-on-error: true }
  - { id: bad, uses: note/make, with: { name: bad }, if: "\${{ steps.look.status == 'failed' }}" }
  - { id: good, uses: note/make, with: { name: good }, if: "\${{ steps.look.status == 'succeeded' }}" }
  - { id: pause, uses: core/wait, with: { for: 1h } }
`
  const { run_id } = await run(steps, 'pause')
  expect(stage.calls).toEqual(['read look', 'create bad'])
  forget(stage)
  takes['look'] = 1
  expect(await resume(run_id)).toMatchObject({
    status: 'succeeded',
    warnings: [{ code: 'StepTimeout', path: 'look' }],
    steps: [{ status: 'failed' }, { status: 'succeeded' }, { status: 'skipped' }, {}],
  })
  expect(stage.calls).toEqual([])
})

/** Two calls of 8 seconds each, in 10 seconds for both. */
const overTime: readonly (readonly [about: string, steps: string, code: string, path: string])[] = [
  ['a run', `timeout: 10s\nsteps:\n${twoCalls('  ')}`, 'RunTimeout', ''],
  [
    'a block',
    `steps:\n  - id: block\n    timeout: 10s\n    steps:\n${twoCalls('      ')}`,
    'StepTimeout',
    'block',
  ],
  [
    'an item of a loop',
    `steps:\n  - id: each\n    timeout: 10s\n    for-each: { items: [1] }\n    steps:\n${twoCalls('      ')}`,
    'TooManyFailures',
    'each',
  ],
  [
    'a runbook that a step runs',
    'steps:\n  - { id: main, uses: core/run, with: { runbook: child.yaml } }\n',
    'RunTimeout',
    'main',
  ],
]

function twoCalls(indent: string): string {
  return ['one', 'two']
    .map((name) => `${indent}- { id: ${name}, uses: note/read, with: { name: ${name} } }\n`)
    .join('')
}

function wholeRunbook(text: string): string {
  return `apiVersion: opsbook/v1\nname: test\n${text}`
}

it.each(overTime)('gives %s that was over its time the whole of it again', async (_, steps, code, path) => {
  const { stage, takes, run, resume } = createTimedStage()
  stage.children['child.yaml'] = wholeRunbook(`timeout: 10s\nsteps:\n${twoCalls('  ')}`)
  Object.assign(takes, { one: 8, two: 8 })
  const failed = await run(wholeRunbook(steps))
  expect(failed).toMatchObject({ status: 'failed', error: { code, ...(path === '' ? {} : { path }) } })
  forget(stage)
  expect(await resume(failed.run_id)).toMatchObject({ status: 'succeeded' })
  expect(stage.calls).toEqual(['read two'])
})

it.each([
  [5, 'succeeded'],
  [15, 'failed'],
])(
  'counts what was worked since then, also by a process that stopped: %i more seconds',
  async (more, status) => {
    const { takes, run, resume } = createTimedStage()
    const pause = '  - { id: pause, uses: core/wait, with: { for: 1s } }\n'
    const three = '  - { id: three, uses: note/read, with: { name: three } }\n'
    Object.assign(takes, { one: 15, two: 10, three: more })
    const { run_id } = await run(wholeRunbook(`timeout: 20s\nsteps:\n${twoCalls('  ')}${pause}${three}`))
    expect(await resume(run_id, 'pause')).toMatchObject({ status: 'interrupted' })
    expect(await resume(run_id)).toMatchObject({ status })
  },
)

it('counts all that was worked where a process only stopped', async () => {
  const { takes, run, resume } = createTimedStage()
  Object.assign(takes, { one: 15, two: 10 })
  const pause = '  - { id: pause, uses: core/wait, with: { for: 1s } }\n'
  const [one, two] = twoCalls('  ').trimEnd().split('\n')
  const text = wholeRunbook(`timeout: 20s\nsteps:\n${one}\n${pause}${two}\n`)
  const { run_id, status } = await run(text, 'pause')
  expect(status).toBe('interrupted')
  expect(await resume(run_id)).toMatchObject({ status: 'failed', error: { code: 'RunTimeout' } })
})

it.each([
  ['at once', false],
  ['once the run has continued', true],
])('does not count the time without a process as work, if a user decides %s', async (_, goesOnFirst) => {
  const { stage, run, resume } = createTimedStage()
  const one = '  - { id: one, uses: note/make, with: { name: one }, timeout: 20s }\n'
  const two = '  - { id: two, uses: note/make, with: { name: two } }\n'
  const { run_id: runId } = await run(wholeRunbook(`timeout: 20s\nsteps:\n${one}${two}`))
  stage.execute(`UPDATE runs SET status = 'running'; DELETE FROM attempts WHERE path = 'two'; DELETE FROM steps;
    UPDATE attempts SET ended_at = NULL, output = NULL, started_at = started_at - 3600000`)
  if (goesOnFirst) expect(await resume(runId)).toMatchObject({ status: 'unknown' })
  forget(stage)
  await stage.decide(runId, 'one', 'succeeded')
  expect(await resume(runId)).toMatchObject({ status: 'succeeded' })
  expect(stage.calls).toEqual(['create two'])
})

it('polls on at once after the clock was set back while no process was there', async () => {
  const stage = createStage()
  const before = createEngineClock(Date.UTC(2026, 0, 1, 12))
  const text = `  - id: look
    uses: note/read
    with: { name: look }
    repeat: { until: "\${{ outputs.name == 'there' }}", interval: 30s, max-wait: 5m }
`
  const run = async (begin: Promise<RunHandle>, isFirst: boolean): Promise<RunReport> => {
    const handle = await begin
    for await (const { type } of handle.events) if (isFirst && type === 'waiting') handle.interrupt()
    return handle.result
  }
  const { run_id: runId } = await before.run(run(stage.start(text, { clock: before }), true))
  const startMs = Date.UTC(2026, 0, 1, 11)
  const after = createEngineClock(startMs)
  stage.answer = () => ({ name: 'there' })
  const report = await after.run(run(stage.reopen(runId, { clock: after }), false))
  expect(report.status).toBe('succeeded')
  expect(after.now() - startMs).toBe(30_000)
})
