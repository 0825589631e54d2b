import { randomUUID } from 'node:crypto'
import {
  checkInputs,
  createActions,
  type JsonObject,
  type JsonValue,
  type Plan,
  type ResumeChanges,
  type RunReport,
  type TimedRunEvent,
} from 'opsbook'
import { beforeAll, expect, it } from 'vitest'
import { followRun } from '../../../src/engine/temporal/client/follow-run.ts'
import { openChanges, resumeRun } from '../../../src/engine/temporal/client/resume-run.ts'
import {
  openEventStore,
  type TemporalEventStore,
} from '../../../src/engine/temporal/received-events/event-store.ts'
import { eventStoreId, takenSignal } from '../../../src/engine/temporal/received-events/listening.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { stageOfFile } from './support/stage-of-file.ts'

const stage = stageOfFile()
let store: TemporalEventStore
beforeAll(() => {
  store = openEventStore(stage)
})

/** Hands in an event, as `serve` does, and answers with its id. */
async function send(hook: string, body: JsonValue, id: string = randomUUID()): Promise<string> {
  const event = { hook, id, type: 'incident', receivedAtMs: Date.now(), body }
  await store.evaluation({ event, candidates: [] })
  return id
}

function waitFor(hook: string, more: JsonObject = {}): JsonObject {
  return { id: 'built', uses: 'core/listen', with: { hook, timeout: '1m', ...more } }
}

const outputs = { id: '${{ steps.built.outputs.event_id }}' }

async function waiting(events: AsyncIterable<TimedRunEvent>): Promise<void> {
  for await (const event of events) if (event.type === 'waiting' && event.reason === 'event') return
}

async function resume(runId: string, changes?: ResumeChanges): Promise<RunReport> {
  const { client, taskQueue, dataDir } = stage
  const ports = { client, taskQueue, runId, by: systemUserNamed('somebody') }
  const next = changes
    ? await (await openChanges({ ...ports, changes, actions: createActions([]), checkInputs })).begin()
    : await resumeRun(ports)
  const afterSeq = next.continued?.lastSeq ?? 0
  return followRun({ runId, isJoined: false }, { client, taskQueue, dataDir, afterSeq }).result
}

it('takes an event, and its record says so', async () => {
  const hook = `ci-${randomUUID()}`
  const run = await stage.start(stage.compile({ steps: [waitFor(hook)], outputs }))
  await waiting(run.events)
  const open = await stage.engine.readRun(run.runId)
  expect(open).toMatchObject({
    status: 'waiting',
    waiting_attempts: [{ path: 'built', reason: 'event', message: `the hook ${hook}` }],
  })
  await send('other', { n: 1 })
  const id = await send(hook, { n: 1 })
  expect(await run.result).toMatchObject({ status: 'succeeded', outputs: { id } })
  await expect
    .poll(() => store.readEvent(id))
    .toMatchObject({ taken: [{ run_id: run.runId, path: 'built' }] })
})

it('names a step once whose worker died after its notice', async () => {
  const { client, taskQueue } = stage
  const hook = `ci-${randomUUID()}`
  const id = await send(hook, { n: 1 })
  const ledger = client.workflow.getHandle(eventStoreId(taskQueue))
  const notice = { hook, id, runId: 'run_1' }
  for (const path of ['built', 'built', 'other']) await ledger.signal(takenSignal, { ...notice, path })
  await expect
    .poll(async () => (await store.readEvent(id))?.taken)
    .toStrictEqual([
      { run_id: 'run_1', path: 'built' },
      { run_id: 'run_1', path: 'other' },
    ])
})

it('keeps events over many executions, and takes each of them once', async () => {
  const hook = `ci-${randomUUID()}`
  const plan = stage.compile({
    steps: [
      {
        id: 'each',
        'for-each': { items: [0, 1, 2, 3, 4, 5, 6, 7] },
        uses: 'core/listen',
        with: { hook, where: '${{ event.n == item }}', timeout: '1m' },
      },
    ],
    outputs: { ids: '${{ steps.each.outputs.items.map(i, i.outputs.event_id) }}' },
  })
  const run = await stage.start(plan, { mostEvents: 30 })
  const ids: string[] = []
  for (const n of [7, 6, 5, 4, 3, 2, 1, 0]) ids.unshift(await send(hook, { n }))
  // The same delivery again is the same event.
  await send(hook, { n: 3 }, ids[3])
  expect(await run.result).toMatchObject({ status: 'succeeded', outputs: { ids } })
})

it('does not wait again after a resume, with changes or without', async () => {
  const hook = `ci-${randomUUID()}`
  const fails = { id: 'check', uses: 'core/assert', with: { that: [false] } }
  const passes = { ...fails, with: { that: [true] } }
  const compile = (last: JsonObject): Plan => stage.compile({ steps: [waitFor(hook), last], outputs })
  const run = await stage.start(compile(fails))
  const id = await send(hook, { n: 1 })
  expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'AssertionFailed' } })
  expect(await resume(run.runId)).toMatchObject({ status: 'failed', error: { code: 'AssertionFailed' } })
  const changes = { plan: compile(passes) }
  expect(await resume(run.runId, changes)).toMatchObject({ status: 'succeeded', outputs: { id } })
})

it('waits again after a timeout, when the run is resumed', async () => {
  const hook = `ci-${randomUUID()}`
  const compile = (timeout: string): Plan => stage.compile({ steps: [waitFor(hook, { timeout })], outputs })
  const timedOut = { status: 'failed', error: { code: 'ListenTimeout' } }
  const run = await stage.start(compile('1s'))
  expect(await run.result).toMatchObject(timedOut)
  expect(await resume(run.runId)).toMatchObject(timedOut)
  // It came while the run had ended, and is sent to it when it listens again.
  const id = await send(hook, { n: 1 })
  const changes = { plan: compile('1ms') }
  expect(await resume(run.runId, changes)).toMatchObject({ status: 'succeeded', outputs: { id } })
})

it('takes a callback at an address that a step has handed out, and knows when nothing can take more', async () => {
  const steps = [
    { id: 'order', uses: 'core/set', with: { address: '${{ run.callbacks.built }}' } },
    { id: 'built', uses: 'core/listen', with: { callback: 'built', timeout: '1m' } },
  ]
  const last = "${{ steps.order.outputs.address.split('/').last() }}"
  const plan = stage.compile({ steps, outputs: { ...outputs, last } })
  const run = await stage.start(plan)
  await waiting(run.events)
  expect(await store.hasEnded(run.runId)).toBe(false)
  const hook = `callbacks/${run.runId}/built`
  const id = await send(hook, { ok: true })
  expect(await run.result).toMatchObject({ status: 'succeeded', outputs: { id, last: '(masked)' } })
  expect(await store.hasEnded(run.runId)).toBe(true)
  expect(await store.hasEnded('run_of_nobody')).toBe(true)
  expect(await store.readEvent(`${hook}/${id}`)).toMatchObject({ event_id: id })
})
