import { type Clock, compareResume, type JsonValue, type ResumeChanges } from 'opsbook'
import { expect, it } from 'vitest'
import { claimQueuedRun, openEventStore } from '../../../src/engine/embedded/index.ts'
import { createStage, type Stage } from './support/stage.ts'

async function send(stage: Stage, id: string, body: JsonValue, receivedAtMs = Date.now()): Promise<void> {
  const store = openEventStore({ dataDir: stage.dataDir })
  const event = { hook: 'ci', id, type: 'incident', receivedAtMs, body }
  await store.evaluation({ event, candidates: [] })
  await store.close()
}

const built = (more = ''): string =>
  `  - { id: built, uses: core/listen, with: { hook: ci, timeout: 1m${more} } }\n`
const fails = '  - { id: check, uses: core/assert, with: { that: [false] } }\n'
const passes = '  - { id: check, uses: core/assert, with: { that: [true] } }\n'

async function untilWaiting(stage: Stage, runId: string): Promise<void> {
  const reader = stage.reader()
  await expect
    .poll(() => reader.readRun(runId))
    .toMatchObject({ status: 'waiting', waiting_attempts: [{ path: 'built', message: 'the hook ci' }] })
}

it('waits visibly, and takes an event that another process records', async () => {
  const stage = createStage()
  await send(stage, 'before', {})
  const run = await stage.start(built())
  await untilWaiting(stage, run.runId)
  await send(stage, 'e1', { n: 1 })
  expect(await run.result).toMatchObject({ status: 'succeeded', steps: [{ path: 'built', attempts: 0 }] })
  const store = openEventStore({ dataDir: stage.dataDir })
  expect(await store.readEvent('ci/e1')).toMatchObject({ taken: [{ run_id: run.runId, path: 'built' }] })
  expect(await store.readEvent('ci/before')).not.toHaveProperty('taken')
  await store.close()
})

it('does not take the event that started its run', async () => {
  const stage = createStage()
  const plan = stage.plan(built(', on-timeout: continue').replace('1m', '1s'))
  const store = openEventStore({ dataDir: stage.dataDir })
  const event = { hook: 'ci', id: 'e1', type: 'incident', receivedAtMs: Date.now(), body: {} }
  const maxStarts = { count: 20, perMs: 1000 }
  const candidate = { runbook: 'test', trigger: 0, plan, inputs: {}, maxStarts }
  const { starts } = await store.evaluation({ event, candidates: [candidate] })
  await store.close()
  const run = await claimQueuedRun({ ...stage.common, runId: String(starts[0]?.run_id) })
  expect(await run.result).toMatchObject({ status: 'succeeded' })
  expect(stage.rows('SELECT * FROM taken_events')).toEqual([])
})

it('does not wait again after a resume, with changes or without', async () => {
  const stage = createStage()
  const run = await stage.start(built() + fails)
  await send(stage, 'e1', {})
  expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'AssertionFailed' } })
  expect(await stage.resume(run.runId)).toMatchObject({ error: { code: 'AssertionFailed' } })
  const plan = stage.plan(built() + passes)
  const other = stage.plan(built(', where: "$' + '{{ event.n == 2 }}"') + passes)
  const fateOf = async (changes: ResumeChanges): Promise<unknown> => {
    const { steps } = await compareResume({ ...stage.common, runId: run.runId, changes })
    return steps.find(({ path }) => path === 'built')?.fate
  }
  expect(await fateOf({ plan })).toBe('reused')
  expect(await fateOf({ plan: other })).toBe('again')
  expect(await fateOf({ repeat: ['built'] })).toBe('again')
  expect(await stage.resume(run.runId, { changes: { plan } })).toMatchObject({ status: 'succeeded' })
})

it('waits for another event when what it took was not good enough', async () => {
  const stage = createStage()
  const text = built().replace(' }\n', ', expect: ["$' + '{{ outputs.event.ok }}"] }\n')
  const run = await stage.start(text)
  await send(stage, 'e1', { ok: false })
  expect(await run.result).toMatchObject({ error: { code: 'ExpectationFailed' } })
  const again = await stage.reopen(run.runId)
  await untilWaiting(stage, run.runId)
  await send(stage, 'e2', { ok: true })
  expect(await again.result).toMatchObject({ status: 'succeeded' })
})

it('has its whole time again after a timeout, and takes what came meanwhile', async () => {
  const stage = createStage()
  const startMs = Date.now()
  /** Looks for events come at once, and the time of the step passes only where it `passes`. */
  const clockFrom = (startMs: number, passes: boolean): Clock => {
    let now = startMs
    return {
      now: () => now,
      async waitUntil(timeMs) {
        if (passes) now = Math.max(now, timeMs)
        await new Promise(setImmediate)
      },
    }
  }
  const run = await stage.start(built(), { clock: clockFrom(startMs, true) })
  expect(await run.result).toMatchObject({
    error: { message: 'no event of the hook ci that the step waits for came within 1m' },
  })
  const again = await stage.reopen(run.runId, { clock: clockFrom(startMs + 61_000, false) })
  await send(stage, 'e1', {})
  expect(await again.result).toMatchObject({ status: 'succeeded' })
})

it('waits while it is stopped, and takes what came meanwhile', async () => {
  const stage = createStage()
  const run = await stage.start(built())
  await untilWaiting(stage, run.runId)
  run.interrupt()
  expect(await run.result).toMatchObject({ status: 'interrupted' })
  await send(stage, 'e1', {})
  expect(await stage.resume(run.runId)).toMatchObject({ status: 'succeeded' })
})

it.each([
  ['that is repeated', { repeat: ['built'] }, ''],
  ['with another condition', {}, ', where: "${{ event.n > 0 }}"'],
])('waits for another event in a step %s, since the first one was taken', async (_, changes, more) => {
  const stage = createStage()
  const run = await stage.start(built() + fails)
  await send(stage, 'e1', { n: 1 })
  expect(await run.result).toMatchObject({ error: { code: 'AssertionFailed' } })
  const plan = stage.plan(built(more) + passes)
  const again = await stage.reopen(run.runId, { changes: { plan, ...changes } })
  await untilWaiting(stage, run.runId)
  await send(stage, 'e2', { n: 2 })
  expect(await again.result).toMatchObject({ status: 'succeeded' })
  const taken = stage.rows(
    'SELECT id, path FROM taken_events JOIN received_events ON event = seq ORDER BY seq',
  )
  expect(taken).toEqual([
    { id: 'e1', path: 'built' },
    { id: 'e2', path: 'built' },
  ])
})
