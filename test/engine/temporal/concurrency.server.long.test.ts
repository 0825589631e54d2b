import type { JsonObject, Plan } from 'opsbook'
import { expect, inject, it } from 'vitest'
import type { RunHandle } from '../../../src/engine/record/run-handle.ts'
import { askLine } from '../../../src/engine/temporal/client/ask-line.ts'
import { sendControlRequest } from '../../../src/engine/temporal/client/control-run.ts'
import { readRunState } from '../../../src/engine/temporal/client/read-run.ts'
import { resumeRun } from '../../../src/engine/temporal/client/resume-run.ts'
import { beginRun } from '../../../src/engine/temporal/client/start-run.ts'
import { awaitedLineOf } from '../../../src/engine/temporal/concurrency/line-id.ts'
import { connectClient } from '../../../src/engine/temporal/connection.ts'
import { openEventStore } from '../../../src/engine/temporal/received-events/event-store.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { approve } from './support/approve.ts'
import { openStage } from './support/open-stage.ts'
import { stageOfFile } from './support/stage-of-file.ts'

type OnConflict = 'skip' | 'reject'

const stage = stageOfFile()
let hosts = 0

const ask = { id: 'ask', uses: 'core/approve', with: { message: 'Go on?' } }
const set = { id: 'set', uses: 'core/set', with: { a: 1 } }

/** A runbook with one run at a time for each host, and a host of this test alone. */
function alone(onConflict: OnConflict, more: JsonObject): { plan: Plan; inputs: JsonObject; host: string } {
  const host = `host-${++hosts}`
  const plan = stage.compile({
    inputs: { type: 'object', properties: { host: { type: 'string' } }, required: ['host'] },
    concurrency: { key: '${{ inputs.host }}', 'on-conflict': onConflict },
    ...more,
  })
  return { plan, inputs: { host }, host }
}

async function untilWaiting({ events }: RunHandle): Promise<void> {
  for await (const { type } of events) if (type === 'waiting') return
}

const lineOf = (host: string) => {
  const order = { key: host, limit: 1, onConflict: 'reject' } as const
  return stage.client.workflow.getHandle(awaitedLineOf(stage.taskQueue, 'staged', order)?.lineId ?? '')
}
const lineStatus = async (host: string): Promise<string> => (await lineOf(host).describe()).status.name

it('starts one run for fifty starts at once', async () => {
  const { plan, inputs, host } = alone('skip', { steps: [ask, set] })
  const { client, taskQueue, dataDir } = stage
  const started = await Promise.all(
    Array.from({ length: 50 }, () => beginRun({ client, taskQueue, dataDir, plan, inputs })),
  )
  const [runId = '', ...others] = new Set(started.map((one) => one.runId))
  expect(others).toEqual([])
  expect(started.filter(({ isJoined }) => !isJoined)).toHaveLength(1)
  const joined = await stage.start(plan, { inputs })
  expect(joined).toMatchObject({ runId, isJoined: true })
  await untilWaiting(joined)
  await approve(stage, runId)
  expect((await joined.result).status).toBe('succeeded')
  await expect.poll(() => lineStatus(host)).toBe('COMPLETED')
})

it('refuses a second start with the id of the running run, until that one has ended', async () => {
  const { plan, inputs } = alone('reject', { steps: [ask, set] })
  const first = await stage.start(plan, { inputs })
  await expect(stage.start(plan, { inputs })).rejects.toMatchObject({
    code: 'ConcurrencyConflict',
    details: { run_id: first.runId },
  })
  await stage.start(plan, { inputs: alone('reject', { steps: [set] }).inputs }).then(({ cancel }) => cancel())
  await approve(stage, first.runId)
  await first.result
  const next = await stage.start(plan, { inputs })
  expect(next.isJoined).toBe(false)
  await untilWaiting(next)
  await approve(stage, next.runId)
  expect((await next.result).status).toBe('succeeded')
})

it('keeps the key after the run has continued in a new execution', async () => {
  const { plan, inputs, host } = alone('reject', {
    steps: [set, ask, set].map((step, n) => ({ ...step, id: n === 1 ? 'ask' : `s${n}` })),
  })
  const first = await stage.start(plan, { inputs, mostEvents: 1 })
  await untilWaiting(first)
  expect(await lineStatus(host)).toBe('RUNNING')
  await expect(stage.start(plan, { inputs })).rejects.toMatchObject({ code: 'ConcurrencyConflict' })
  await approve(stage, first.runId)
  expect((await first.result).status).toBe('succeeded')
  await expect.poll(() => lineStatus(host)).toBe('COMPLETED')
})

it('releases the key when the run is cancelled', async () => {
  const { plan, inputs, host } = alone('reject', { steps: [ask] })
  const run = await stage.start(plan, { inputs })
  await untilWaiting(run)
  await sendControlRequest(run.runId, stage, { kind: 'cancel', by: systemUserNamed('ada') })
  await run.result
  await expect.poll(() => lineStatus(host)).toBe('COMPLETED')
})

// The line knows for 5 s that a run is open, or about to start.
it.each([1, 2])(
  'gives the place of a run that was terminated to the next start: limit %i',
  async (limit) => {
    const { plan, inputs } = alone('reject', {
      steps: [ask],
      concurrency: { key: `terminated-${limit}`, limit, 'on-conflict': 'reject' },
    })
    const { client, taskQueue, dataDir } = stage
    const start = () => beginRun({ client, taskQueue, dataDir, plan, inputs })
    const runs = await Promise.all(Array.from({ length: limit }, start))
    await expect(start()).rejects.toMatchObject({ code: 'ConcurrencyConflict' })
    await client.workflow.getHandle(String(runs.at(-1)?.runId)).terminate()
    const next = async () => (await start().catch(() => undefined))?.isJoined
    await expect.poll(next, { timeout: 30_000, interval: 500 }).toBe(false)
    await expect(start()).rejects.toMatchObject({ code: 'ConcurrencyConflict' })
  },
  60_000,
)

it('keeps the key when a user cancels the line', async () => {
  const { plan, inputs, host } = alone('reject', { steps: [ask] })
  const run = await stage.start(plan, { inputs })
  await untilWaiting(run)
  await lineOf(host).cancel()
  await expect(stage.start(plan, { inputs })).rejects.toMatchObject({ code: 'ConcurrencyConflict' })
  await approve(stage, run.runId)
  expect((await run.result).status).toBe('succeeded')
  await expect.poll(() => lineStatus(host)).toBe('COMPLETED')
})

it('takes the key again to resume a run, and is refused while another one has it', async () => {
  const failing = { id: 'no', uses: 'core/assert', with: { that: ['${{ inputs.host == "x" }}'] } }
  const { plan, inputs } = alone('reject', { steps: [ask, failing] })
  const first = await stage.start(plan, { inputs })
  await untilWaiting(first)
  await approve(stage, first.runId)
  expect((await first.result).status).toBe('failed')
  const other = await stage.start(plan, { inputs })
  await untilWaiting(other)
  const resume = {
    client: stage.client,
    taskQueue: stage.taskQueue,
    by: systemUserNamed('ada'),
    runId: first.runId,
  }
  await expect(resumeRun(resume)).rejects.toMatchObject({
    code: 'ConcurrencyConflict',
    details: { run_id: other.runId },
  })
  await approve(stage, other.runId)
  await other.result
  await resumeRun(resume)
  const resumed = stage.client.workflow.getHandle(first.runId)
  await expect(resumed.result()).rejects.toThrow()
  expect((await resumed.describe()).memo).toMatchObject({ startedBy: { source: 'system-user' } })
})

it('joins the run of a key that a person gave, whatever its runbook says of conflicts', async () => {
  const { plan, inputs, host } = alone('reject', { steps: [ask] })
  const { client, taskQueue, dataDir } = stage
  const start = () => beginRun({ client, taskQueue, dataDir, plan, inputs, key: host })
  const started = await Promise.all([start(), start(), start()])
  expect(new Set(started.map(({ runId }) => runId)).size).toBe(1)
  expect(started.filter(({ isJoined }) => !isJoined)).toHaveLength(1)
  const runId = String(started[0]?.runId)
  await approve(stage, runId)
  await stage.client.workflow.getHandle(runId).result()
  expect(await start()).toMatchObject({ runId, isJoined: true })
})

it('starts one run for the events that come after a run was terminated', async () => {
  const { client, taskQueue } = stage
  const { plan } = alone('reject', {
    inputs: {},
    concurrency: { key: 'all', 'on-conflict': 'reject' },
    steps: [ask],
  })
  const store = openEventStore({ client: await connectClient(stage.settings), taskQueue })
  let events = 0
  const send = async () => {
    const id = `event-${++events}`
    const candidate = { runbook: plan.name, trigger: 0, plan, inputs: {} }
    const { starts } = await store.evaluation({
      event: { hook: 'incidents', id, type: 'incident', receivedAtMs: Date.now(), body: {} },
      candidates: [{ ...candidate, maxStarts: { count: 99, perMs: 600_000 } }],
    })
    return starts[0]
  }
  const first = await send()
  expect(first?.because).toBeUndefined()
  expect(await send()).toMatchObject({ because: 'concurrency', run_id: first?.run_id })
  await client.workflow.getHandle(String(first?.run_id)).terminate()
  let begun: Awaited<ReturnType<typeof send>>
  const isBegun = async () => {
    // Both are decided at once.
    const answers = await Promise.all([send(), send()])
    begun = answers.find((answer) => answer && answer.because === undefined)
    return answers.filter((answer) => answer?.because === 'concurrency').length
  }
  await expect.poll(isBegun, { timeout: 30_000, interval: 500 }).toBe(1)
  expect(await send()).toMatchObject({ because: 'concurrency', run_id: begun?.run_id })
  await client.workflow.getHandle(String(begun?.run_id)).terminate()
  await store.close()
}, 60_000)

it('a place whose run never started is free for an event', async () => {
  const { plan } = alone('reject', {
    inputs: {},
    concurrency: { key: 'ghost', 'on-conflict': 'reject' },
    steps: [ask],
  })
  const { client, taskQueue } = stage
  const order = { key: 'ghost', limit: 1, onConflict: 'reject' } as const
  const line = awaitedLineOf(taskQueue, plan.name, order)
  expect(await askLine(stage, { runId: 'run_ghost', line } as never)).toHaveProperty('start')
  const store = openEventStore({ client: await connectClient(stage.settings), taskQueue })
  let events = 0
  const send = async () => {
    const candidate = { runbook: plan.name, trigger: 0, plan, inputs: {} }
    const { starts } = await store.evaluation({
      event: { hook: 'ghosts', id: `${++events}`, type: 'incident', receivedAtMs: Date.now(), body: {} },
      candidates: [{ ...candidate, maxStarts: { count: 99, perMs: 600_000 } }],
    })
    return starts[0]
  }
  expect(await send()).toMatchObject({ because: 'concurrency', run_id: 'run_ghost' })
  let begun: Awaited<ReturnType<typeof send>>
  const isBegun = async () => {
    begun = await send()
    return begun?.because === undefined
  }
  await expect.poll(isBegun, { timeout: 30_000, interval: 500 }).toBe(true)
  await client.workflow.getHandle(String(begun?.run_id)).terminate()
  await store.close()
}, 60_000)

it('without a worker, runs are started that ask as they begin: one has the key, and the other is refused', async () => {
  const taskQueue = `${stage.taskQueue}-later`
  const { plan, inputs } = alone('reject', { steps: [ask] })
  const { client, dataDir } = stage
  const start = () => beginRun({ client, taskQueue, dataDir, plan, inputs })
  const started = await Promise.all([start(), start()])
  expect(started.map(({ isJoined }) => isJoined)).toEqual([false, false])
  const late = await openStage(inject('temporalAddress'), [], { taskQueue })
  const statuses = () =>
    Promise.all(started.map(async ({ runId }) => (await readRunState(runId, { client, taskQueue }))?.status))
  await expect.poll(async () => (await statuses()).toSorted()).toEqual(['failed', 'waiting'])
  const [holds, refused] = (await statuses()).indexOf('waiting') === 0 ? started : started.toReversed()
  expect((await readRunState(String(refused?.runId), { client, taskQueue }))?.error).toMatchObject({
    code: 'ConcurrencyConflict',
    message: `a run for the concurrency key "${inputs['host']}" is still running: ${holds?.runId}; nothing was sent`,
  })
  await client.workflow.getHandle(String(holds?.runId)).terminate()
  await late.close()
})
