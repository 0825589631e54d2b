import { type JsonObject, RunbookError, type RunHandle, requestControl } from 'opsbook'
import { expect, it } from 'vitest'
import { createRunQueue, queueRun, resumeRun, takeServeLock } from '../../../src/engine/embedded/index.ts'
import { claimQueuedRun } from '../../../src/engine/embedded/run/claim-queued-run.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { createStage, type Stage } from './support/stage.ts'

/** A runbook of which `limit` runs at a time are active for each host; each run makes one note. */
function inLine(limit: number, onConflict = 'wait'): string {
  return `apiVersion: opsbook/v1
name: test
inputs: { type: object, required: [name], properties: { name: { type: string }, host: { type: string, default: web-01 } } }
concurrency: { key: "\${{ inputs.host }}", limit: ${limit}, on-conflict: ${onConflict} }
steps:
  - { id: made, uses: note/make, with: { name: "\${{ inputs.name }}" } }
`
}

const named = (name: string): { readonly inputs: JsonObject } => ({ inputs: { name, host: 'web-01' } })

interface Held {
  readonly begun: string[]
  end(name: string): void
}

/** Keeps each call from ending until the test ends it, which it may do before the call has begun. */
function holdAll(stage: Stage): Held {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const overs = new Map<string, Promise<void>>()
  const over = (name: string): Promise<void> => {
    const known = overs.get(name) ?? new Promise<void>((resolve) => ends.set(name, resolve))
    overs.set(name, known)
    return known
  }
  stage.answer = async ({ name }) => {
    begun.push(name)
    await over(name)
    return { name }
  }
  return {
    begun,
    end(name) {
      void over(name)
      ends.get(name)?.()
    },
  }
}

/** Starts a run without waiting in line, and resolves once it is recorded. */
async function enter(stage: Stage, name: string, limit: number, said: string[] = [], signal?: AbortSignal) {
  const before = stage.rows('SELECT id FROM runs').length
  const started = stage.start(inLine(limit), {
    ...named(name),
    say: (text) => said.push(text),
    ...(signal === undefined ? {} : { signal }),
  })
  started.catch(() => {})
  await expect.poll(() => stage.rows('SELECT id FROM runs').length).toBe(before + 1)
  const [row] = stage.rows('SELECT id FROM runs ORDER BY started_at DESC, rowid DESC LIMIT 1')
  return { runId: String(row?.['id']), started, said }
}

const ended = async (started: Promise<RunHandle>): Promise<string> => (await (await started).result).status

it('runs as many as the limit allows, and the others in the order of their starts', async () => {
  const stage = createStage()
  const held = holdAll(stage)
  const first = await stage.start(inLine(2), named('a'))
  const second = await stage.start(inLine(2), named('b'))
  const third = await enter(stage, 'c', 2)
  const fourth = await enter(stage, 'd', 2)
  const before = [first.runId, second.runId]
  await expect
    .poll(() => third.said)
    .toEqual([
      `waits in line: 2 runs at a time have the concurrency key "web-01"; before it: ${before.join(', ')}`,
    ])
  const reader = stage.reader()
  expect(reader.readRun(third.runId)).toMatchObject({
    status: 'queued',
    place_in_line: { key: 'web-01', limit: 2, before },
  })
  expect(reader.listRuns({ status: ['queued'] }).map(({ place_in_line: place }) => place?.before)).toEqual([
    [...before, third.runId],
    before,
  ])
  await expect.poll(() => held.begun).toEqual(['a', 'b'])
  held.end('b')
  await expect.poll(() => held.begun).toEqual(['a', 'b', 'c'])
  expect(reader.readRun(fourth.runId)?.place_in_line?.before).toEqual([first.runId, third.runId])
  held.end('a')
  await expect.poll(() => held.begun).toEqual(['a', 'b', 'c', 'd'])
  for (const name of ['c', 'd']) held.end(name)
  expect([await ended(third.started), await ended(fourth.started)]).toEqual(['succeeded', 'succeeded'])
  expect(reader.readRun(fourth.runId)?.place_in_line).toBeUndefined()
})

it('a waiting run is cancelled, and the one behind it moves up', async () => {
  const stage = createStage()
  const held = holdAll(stage)
  const first = await stage.start(inLine(1), named('a'))
  const second = await enter(stage, 'b', 1)
  const third = await enter(stage, 'c', 1)
  const by = systemUserNamed('ada')
  expect(await requestControl({ dataDir: stage.dataDir, runId: second.runId, kind: 'cancel', by })).toBe(true)
  const handle = await second.started
  expect(handle.isJoined).toBe(false)
  expect(await handle.result).toMatchObject({
    status: 'cancelled',
    error: { message: 'the run was cancelled while it waited in line' },
  })
  expect(stage.reader().readRun(third.runId)?.place_in_line?.before).toEqual([first.runId])
  held.end('a')
  await expect.poll(() => held.begun).toEqual(['a', 'c'])
  held.end('c')
  expect(await ended(third.started)).toBe('succeeded')
})

it('a run whose caller aborts leaves the line, and waits again when it is resumed', async () => {
  const stage = createStage()
  const held = holdAll(stage)
  await stage.start(inLine(1), named('a'))
  const leave = new AbortController()
  const second = await enter(stage, 'b', 1, [], leave.signal)
  leave.abort()
  await expect(second.started).rejects.toMatchObject({ code: 'Interrupted', notSent: true })
  expect(stage.reader().readRun(second.runId)?.status).toBe('interrupted')
  const said: string[] = []
  const resumed = stage.reopen(second.runId, { say: (text) => said.push(text) })
  await expect.poll(() => said.length).toBe(1)
  await expect.poll(() => held.begun).toEqual(['a'])
  held.end('a')
  await expect.poll(() => held.begun).toEqual(['a', 'b'])
  held.end('b')
  expect(await ended(resumed)).toBe('succeeded')
})

it('with reject, a start is refused once as many runs are active as may be', async () => {
  const stage = createStage()
  const held = holdAll(stage)
  const runs = [
    await stage.start(inLine(2, 'reject'), named('a')),
    await stage.start(inLine(2, 'reject'), named('b')),
  ]
  await expect(stage.start(inLine(2, 'reject'), named('c'))).rejects.toMatchObject({
    code: 'ConcurrencyConflict',
    details: { run_id: runs[0]?.runId },
  })
  await expect.poll(() => held.begun).toEqual(['a', 'b'])
  held.end('a')
  await runs[0]?.result
  const next = await stage.start(inLine(2, 'reject'), named('c'))
  await expect.poll(() => held.begun).toEqual(['a', 'b', 'c'])
  for (const name of ['b', 'c']) held.end(name)
  await Promise.all([...runs, next].map(({ result }) => result))
})

it('a queue and processes share one line, and runs that nothing serves hold up no others', async () => {
  const stage = createStage()
  const held = holdAll(stage)
  const { dataDir, actions, common } = stage
  const first = await stage.start(inLine(2), named('a'))
  for (const name of ['q1', 'q2', 'q3'])
    queueRun({ dataDir, actions, plan: stage.plan(inLine(2)), ...named(name) })
  // No process claims them yet, so a later start takes the free place.
  const second = await stage.start(inLine(2), named('b'))
  await expect.poll(() => held.begun).toEqual(['a', 'b'])
  const lock = takeServeLock(dataDir)
  const queue = createRunQueue({
    dataDir,
    maxRuns: 10,
    claim: (runId) => claimQueuedRun({ ...common, runId }),
    onRefused: (_, error) => expect.unreachable(String(error)),
  })
  queue.start()
  expect(queue.running()).toBe(0)
  held.end('a')
  await expect.poll(() => held.begun).toEqual(['a', 'b', 'q1'])
  held.end('b')
  await expect.poll(() => held.begun).toEqual(['a', 'b', 'q1', 'q2'])
  for (const name of ['q1', 'q2']) held.end(name)
  await expect.poll(() => held.begun).toContain('q3')
  held.end('q3')
  await Promise.all([first.result, second.result])
  await expect.poll(() => queue.running()).toBe(0)
  await queue.stop(1000)
  lock.release()
})

it('a run that a queue resumes joins the end of the line behind processes that wait, and needs no capacity there', async () => {
  const stage = createStage()
  const held = holdAll(stage)
  const { dataDir, actions, common } = stage
  const more = '  - { id: more, uses: note/make, with: { name: more } }\n'
  const stopped = await stage.start(inLine(1) + more, named('r'))
  await expect.poll(() => held.begun).toEqual(['r'])
  stopped.interrupt()
  held.end('r')
  expect((await stopped.result).status).toBe('interrupted')
  const first = await stage.start(inLine(1), named('a'))
  const second = await enter(stage, 'b', 1)
  queueRun({ dataDir, actions, plan: stage.plan(inLine(1)), inputs: { name: 'q', host: 'other' } })
  const lock = takeServeLock(dataDir)
  const open = () =>
    createRunQueue({
      dataDir,
      maxRuns: 1,
      claim: (runId) => claimQueuedRun({ ...common, runId }),
      resume: (runId, wait) => resumeRun({ ...common, ...wait, runId, isAutomatic: true }),
      onRefused: (_, error) => expect.unreachable(String(error)),
    })
  const early = open()
  early.start()
  const awaitedLineOf = () => stage.reader().readRun(stopped.runId)?.place_in_line?.before
  await expect.poll(awaitedLineOf).toEqual([first.runId, second.runId])
  await expect.poll(() => held.begun).toContain('q')
  held.end('q')
  await expect.poll(() => early.running()).toBe(0)
  await early.stop(1000)
  expect(stage.reader().readRun(stopped.runId)?.status).toBe('interrupted')
  const queue = open()
  queue.start()
  await expect.poll(awaitedLineOf).toEqual([first.runId, second.runId])
  const third = await enter(stage, 'c', 1)
  const before = [first.runId, second.runId, stopped.runId]
  expect(stage.reader().readRun(third.runId)?.place_in_line?.before).toEqual(before)
  const begun = () => held.begun.filter((name) => name !== 'q').slice(1)
  for (const [name, next] of [
    ['a', 'b'],
    ['b', 'more'],
    ['more', 'c'],
  ] as const) {
    held.end(name)
    await expect.poll(() => begun().at(-1)).toBe(next)
  }
  held.end('c')
  for (const one of [second, third]) expect(await ended(one.started)).toBe('succeeded')
  await expect.poll(() => stage.reader().readRun(stopped.runId)?.status).toBe('succeeded')
  await queue.stop(1000)
  lock.release()
})

/** A run of this key that failed in its first step, and that a resume tries again. */
async function failed(stage: Stage, name: string): Promise<string> {
  const { answer } = stage
  stage.answer = () => Promise.reject(new RunbookError('InvalidParameter', 'no'))
  const run = await stage.start(inLine(1), named(name))
  expect((await run.result).status).toBe('failed')
  stage.answer = answer
  return run.runId
}

it('a resumed run joins the end of the line, and is shown as queued', async () => {
  const stage = createStage()
  const held = holdAll(stage)
  const resumedId = await failed(stage, 'r')
  const first = await stage.start(inLine(1), named('a'))
  const second = await enter(stage, 'b', 1)
  const said: string[] = []
  const resumed = stage.reopen(resumedId, { say: (text) => said.push(text) })
  await expect.poll(() => said.length).toBe(1)
  const third = await enter(stage, 'c', 1)
  const reader = stage.reader()
  const record = reader.readRun(resumedId)
  expect(record).toMatchObject({ status: 'queued', place_in_line: { before: [first.runId, second.runId] } })
  expect([record?.error, record?.ended_at]).toEqual([undefined, undefined])
  expect(reader.listRuns({ status: ['queued'] }).map(({ run_id }) => run_id)).toContain(resumedId)
  expect(reader.readRun(third.runId)?.place_in_line?.before).toEqual([first.runId, second.runId, resumedId])
  for (const [name, next] of ['a', 'b', 'r', 'c'].map((one, at, all) => [one, all[at + 1]] as const)) {
    held.end(name)
    if (next !== undefined) await expect.poll(() => held.begun.at(-1)).toBe(next)
  }
  for (const started of [resumed, second.started, third.started])
    expect(await ended(started)).toBe('succeeded')
  expect(reader.readRun(resumedId)?.resumes).toHaveLength(1)
})

it('a resumed run whose caller aborts the wait stays as it was', async () => {
  const stage = createStage()
  const held = holdAll(stage)
  const runId = await failed(stage, 'r')
  const before = stage.reader().readRun(runId)
  const first = await stage.start(inLine(1), named('a'))
  const leave = new AbortController()
  const said: string[] = []
  const resumed = stage.reopen(runId, { say: (text) => said.push(text), signal: leave.signal })
  await expect.poll(() => said.length).toBe(1)
  leave.abort()
  await expect(resumed).rejects.toMatchObject({ code: 'Interrupted', notSent: true })
  expect(stage.reader().readRun(runId)).toEqual(before)
  await expect.poll(() => held.begun).toEqual(['a'])
  held.end('a')
  await first.result
  const again = stage.reopen(runId)
  await expect.poll(() => held.begun).toEqual(['a', 'r'])
  held.end('r')
  expect(await ended(again)).toBe('succeeded')
})

it('a resumed run that waits is cancelled at once when nothing is left to clean up', async () => {
  const stage = createStage()
  const held = holdAll(stage)
  const runId = await failed(stage, 'r')
  const first = await stage.start(inLine(1), named('a'))
  const said: string[] = []
  const resumed = stage.reopen(runId, { say: (text) => said.push(text) })
  await expect.poll(() => said.length).toBe(1)
  const by = systemUserNamed('ada')
  expect(await requestControl({ dataDir: stage.dataDir, runId, kind: 'cancel', by })).toBe(true)
  expect(await (await resumed).result).toMatchObject({
    status: 'cancelled',
    error: { message: 'the run was cancelled while it waited in line' },
  })
  await expect.poll(() => held.begun).toEqual(['a'])
  held.end('a')
  await first.result
})

const cleansUp = `apiVersion: opsbook/v1
name: test
inputs: { type: object, required: [name], properties: { name: { type: string } } }
concurrency: { key: one, on-conflict: wait }
steps:
  - { id: made, uses: note/put, with: { name: "\${{ inputs.name }}" } }
  - { id: more, uses: note/put, if: "\${{ inputs.name == 'r' }}", with: { name: more } }
finally:
  - { id: clean, uses: note/put, with: { name: "clean \${{ inputs.name }}" } }
`

it('a cancelled run that has something to clean up does so once it has the key', async () => {
  const stage = createStage()
  const held = holdAll(stage)
  const inputs = { name: 'r' }
  const interrupted = await stage.start(cleansUp, { inputs })
  await expect.poll(() => held.begun).toEqual(['r'])
  interrupted.interrupt()
  held.end('r')
  expect((await interrupted.result).status).toBe('interrupted')
  const first = await stage.start(cleansUp, { inputs: { name: 'a' } })
  await expect.poll(() => held.begun).toEqual(['r', 'a'])
  const said: string[] = []
  const resumed = stage.reopen(interrupted.runId, { say: (text) => said.push(text) })
  await expect.poll(() => said.length).toBe(1)
  const by = systemUserNamed('ada')
  const control = { dataDir: stage.dataDir, runId: interrupted.runId, by }
  expect(await requestControl({ ...control, kind: 'cancel' })).toBe(true)
  expect(stage.reader().readRun(interrupted.runId)?.status).toBe('queued')
  held.end('a')
  await expect.poll(() => held.begun).toEqual(['r', 'a', 'clean a'])
  held.end('clean a')
  await expect.poll(() => held.begun).toEqual(['r', 'a', 'clean a', 'clean r'])
  held.end('clean r')
  expect((await first.result).status).toBe('succeeded')
  expect(await ended(resumed)).toBe('cancelled')
})

it('a run is paused while it waits, and stays so once it has the key', async () => {
  const stage = createStage()
  const held = holdAll(stage)
  const first = await stage.start(inLine(1), named('a'))
  const second = await enter(stage, 'b', 1)
  const by = systemUserNamed('ada')
  const control = { dataDir: stage.dataDir, runId: second.runId, by }
  expect(await requestControl({ ...control, kind: 'pause' })).toBe(true)
  expect(stage.reader().readRun(second.runId)?.status).toBe('paused')
  await expect.poll(() => held.begun).toEqual(['a'])
  held.end('a')
  await first.result
  const handle = await second.started
  expect(stage.reader().readRun(second.runId)?.status).toBe('paused')
  expect(held.begun).toEqual(['a'])
  expect(await requestControl({ ...control, kind: 'unpause' })).toBe(true)
  await expect.poll(() => held.begun).toEqual(['a', 'b'])
  held.end('b')
  expect((await handle.result).status).toBe('succeeded')
})
