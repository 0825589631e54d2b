import type { JsonObject, Plan } from 'opsbook'
import { expect, inject, it } from 'vitest'
import type { RunHandle } from '../../../src/engine/record/run-handle.ts'
import { sendControlRequest } from '../../../src/engine/temporal/client/control-run.ts'
import { readEnded } from '../../../src/engine/temporal/client/read-ended.ts'
import { readRunState } from '../../../src/engine/temporal/client/read-run.ts'
import { resumeRun } from '../../../src/engine/temporal/client/resume-run.ts'
import { startNextExecution } from '../../../src/engine/temporal/client/start-next-execution.ts'
import { beginRun } from '../../../src/engine/temporal/client/start-run.ts'
import {
  type AwaitedRun,
  waitForStart,
} from '../../../src/engine/temporal/client/start-with-concurrency-key.ts'
import { lockIdOf, lockIdsOf } from '../../../src/engine/temporal/concurrency/lock-id.ts'
import { connectClient } from '../../../src/engine/temporal/connection.ts'
import { openEventStore } from '../../../src/engine/temporal/received-events/event-store.ts'
import { eventStoreId } from '../../../src/engine/temporal/received-events/listening.ts'
import { reopenContinued } from '../../../src/engine/temporal/resume/continued-record.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { approve } from './support/approve.ts'
import { loseTask, untilNoTask } from './support/lose-task.ts'
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

const lockOf = (host: string) => stage.client.workflow.getHandle(lockIdOf(stage.taskQueue, 'staged', host))
const lockStatus = async (host: string): Promise<string> => (await lockOf(host).describe()).status.name

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
  await expect.poll(() => lockStatus(host)).toBe('COMPLETED')
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
  expect(await lockStatus(host)).toBe('RUNNING')
  await expect(stage.start(plan, { inputs })).rejects.toMatchObject({ code: 'ConcurrencyConflict' })
  await approve(stage, first.runId)
  expect((await first.result).status).toBe('succeeded')
  await expect.poll(() => lockStatus(host)).toBe('COMPLETED')
})

it.each(['cancelled', 'terminated'])('releases the key when the run is %s', async (how) => {
  const { plan, inputs, host } = alone('reject', { steps: [ask] })
  const run = await stage.start(plan, { inputs })
  await untilWaiting(run)
  const handle = stage.client.workflow.getHandle(run.runId)
  if (how === 'cancelled')
    await sendControlRequest(run.runId, stage, { kind: 'cancel', by: systemUserNamed('ada') })
  else await handle.terminate()
  await run.result
  await expect.poll(() => lockStatus(host)).toBe('COMPLETED')
})

it('keeps the key when a user cancels the lock workflow', async () => {
  const { plan, inputs, host } = alone('reject', { steps: [ask] })
  const run = await stage.start(plan, { inputs })
  await untilWaiting(run)
  await lockOf(host).cancel()
  await expect(stage.start(plan, { inputs })).rejects.toMatchObject({ code: 'ConcurrencyConflict' })
  await approve(stage, run.runId)
  expect((await run.result).status).toBe('succeeded')
  await expect.poll(() => lockStatus(host)).toBe('COMPLETED')
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

it.each([1, 2])(
  'takes the place of a run that has ended before any worker has noticed it: limit %i',
  async (limit) => {
    const { plan, inputs } = alone('reject', {
      steps: [ask],
      concurrency: { key: 'all', limit, 'on-conflict': 'reject' },
    })
    const own = await openStage(inject('temporalAddress'), [])
    const { client, taskQueue, dataDir } = own
    const ports = { client, taskQueue, dataDir, plan, inputs }
    const runs: RunHandle[] = []
    for (let place = 0; place < limit; place++) runs.push(await own.start(plan, { inputs }))
    await expect(beginRun(ports)).rejects.toMatchObject({ code: 'ConcurrencyConflict' })
    for (const { runId } of runs)
      await expect.poll(() => readRunState(runId, own)).toMatchObject({ status: 'waiting' })
    const locks = lockIdsOf(taskQueue, plan.name, { key: 'all', limit })
    await untilNoTask(own, [...locks, ...runs.map(({ runId }) => runId)])
    await own.stopWorker()
    await client.workflow.getHandle(String(runs.at(-1)?.runId)).terminate()
    const next = await beginRun(ports)
    expect(next.isJoined).toBe(false)
    // It sees the ended run, too.
    const late = await beginRun(ports)
    const worker = await own.startWorker()
    expect(await waitForStart(ports, next.awaited as AwaitedRun, {})).toMatchObject({ found: 'ours' })
    await expect(waitForStart(ports, late.awaited as AwaitedRun, {})).rejects.toMatchObject({
      code: 'ConcurrencyConflict',
      details: { run_id: next.runId },
    })
    await expect(beginRun(ports)).rejects.toMatchObject({ code: 'ConcurrencyConflict' })
    for (const runId of [next.runId, ...runs.slice(0, -1).map((run) => run.runId)])
      await client.workflow.getHandle(runId).terminate()
    await worker.stop()
    await own.close()
  },
)

/** A stage without a worker, where a run begins in the place of one whose end has not been noticed: skip. */
async function openAfterEnd() {
  const { plan, inputs, host } = alone('skip', { steps: [ask] })
  const own = await openStage(inject('temporalAddress'), [])
  const { client, taskQueue, dataDir } = own
  const ports = { client, taskQueue, dataDir, plan, inputs }
  const ended = await own.start(plan, { inputs })
  await untilWaiting(ended)
  const lockId = lockIdOf(taskQueue, plan.name, host)
  await untilNoTask(own, [lockId, ended.runId])
  await own.stopWorker()
  await client.workflow.getHandle(ended.runId).terminate()
  return { own, client, ports, lockId, next: await beginRun(ports) }
}

it('joins the run that was faster in the place of an ended one: skip', async () => {
  const { own, client, ports, next } = await openAfterEnd()
  // It sees the ended run, too.
  const late = await own.start(ports.plan, { inputs: ports.inputs })
  const worker = await own.startWorker()
  await untilWaiting(late)
  expect(late).toMatchObject({ runId: next.runId, isJoined: true })
  const another = await own.start(ports.plan, { inputs: ports.inputs })
  another.cancel()
  await expect(another.result).rejects.toMatchObject({ code: 'Interrupted' })
  expect(await readRunState(next.runId, own)).toMatchObject({ status: 'waiting' })
  await client.workflow.getHandle(next.runId).terminate()
  expect(await late.result).toMatchObject({ run_id: next.runId, status: 'interrupted' })
  await worker.stop()
  await own.close()
})

it('joins no run that has ended, where its lock workflow is gone before it has begun: skip', async () => {
  const { own, client, ports, lockId, next } = await openAfterEnd()
  await client.workflow.getHandle(lockId).terminate()
  await expect(waitForStart(ports, next.awaited as AwaitedRun, {})).rejects.toMatchObject({
    code: 'ConcurrencyConflict',
  })
  await own.close()
})

it('resumes a run in place of one whose end no worker has noticed', async () => {
  const { plan, inputs, host } = alone('reject', { steps: [ask] })
  const own = await openStage(inject('temporalAddress'), [])
  const { client, taskQueue, dataDir } = own
  const handleOf = (runId: string) => client.workflow.getHandle(runId)
  const first = await own.start(plan, { inputs })
  await untilWaiting(first)
  await handleOf(first.runId).terminate()
  const resume = { client, taskQueue, by: systemUserNamed('ada'), runId: first.runId }
  const ended = await readEnded(resume, first.runId, () => {})
  const lock = handleOf(lockIdOf(taskQueue, plan.name, host))
  await expect.poll(async () => (await lock.describe()).status.name).toBe('COMPLETED')
  const other = await own.start(plan, { inputs })
  await untilWaiting(other)
  await untilNoTask(own, [lock.workflowId, other.runId])
  await own.stopWorker()
  await handleOf(other.runId).terminate()
  const { start, continued, status } = ended
  const resumed = startNextExecution(resume, ended, {
    ...start,
    continued: reopenContinued(plan, continued, status),
  })
  const isSignalled = async () =>
    ((await lock.fetchHistory()).events ?? []).some((event) => event.workflowExecutionSignaledEventAttributes)
  await Promise.race([resumed, expect.poll(isSignalled).toBe(true)])
  const late = await beginRun({ client, taskQueue, dataDir, plan, inputs })
  const worker = await own.startWorker()
  await resumed
  await expect(waitForStart({ client, taskQueue }, late.awaited as AwaitedRun, {})).rejects.toMatchObject({
    code: 'ConcurrencyConflict',
    details: { run_id: first.runId },
  })
  await handleOf(first.runId).terminate()
  await worker.stop()
  await own.close()
})

it('starts one run for two events in place of one whose end its lock workflow has not noticed for long', async () => {
  const own = await openStage(inject('temporalAddress'), [])
  const { client, taskQueue } = own
  const plan = own.compile({ steps: [ask], concurrency: { key: 'all', 'on-conflict': 'reject' } })
  const store = await openEventStore({ client: await connectClient(own.settings), taskQueue })
  const send = (id: string) =>
    store.evaluation({
      event: { hook: 'incidents', id, type: 'incident', receivedAtMs: Date.now(), body: {} },
      candidates: [
        { runbook: plan.name, trigger: 0, plan, inputs: {}, maxStarts: { count: 9, perMs: 600_000 } },
      ],
    })
  const runs = client.workflow
  const [first] = (await send('first')).starts
  const firstId = String(first?.run_id)
  await expect.poll(() => readRunState(firstId, own)).toMatchObject({ status: 'waiting' })
  const lockId = lockIdOf(taskQueue, plan.name, 'all')
  await untilNoTask(own, [lockId, eventStoreId(taskQueue), firstId])
  await own.stopWorker()
  await runs.getHandle(firstId).terminate()
  await loseTask(own, lockId)
  const worker = await own.startWorker()
  // The senders may have their answers before the lock workflow has decided.
  const answers = await Promise.all([send('second'), send('third')])
  const recorded = async () =>
    (await Promise.all(['second', 'third'].map((id) => store.readEvent(id)))).flatMap(
      (event) => event?.starts,
    )
  const refused = async () => (await recorded()).filter((start) => start?.because === 'concurrency')
  await expect.poll(refused).toHaveLength(1)
  const [begun] = (await recorded()).filter((start) => start?.because === undefined)
  expect(answers.flatMap(({ starts }) => starts)).toContainEqual(begun)
  expect(await refused()).toMatchObject([{ run_id: begun?.run_id }])
  const end = () =>
    runs
      .getHandle(String(begun?.run_id))
      .terminate()
      .catch(() => undefined)
  await expect.poll(end).toBeDefined()
  await worker.stop()
  await store.close()
  await own.close()
})

it('begins a run that was started while there was no worker as soon as there is one', async () => {
  const taskQueue = `${stage.taskQueue}-later`
  const { plan, inputs } = alone('reject', { steps: [set] })
  const { client, dataDir } = stage
  const started = await beginRun({ client, taskQueue, dataDir, plan, inputs })
  expect(started).toMatchObject({ isJoined: false, awaited: { runId: started.runId } })
  await expect(beginRun({ client, taskQueue, dataDir, plan, inputs })).rejects.toMatchObject({
    code: 'ConcurrencyConflict',
    details: { run_id: started.runId },
  })
  const late = await openStage(inject('temporalAddress'), [], { taskQueue })
  await waitForStart({ client, taskQueue }, started.awaited as AwaitedRun, {})
  await client.workflow.getHandle(started.runId).result()
  await late.close()
})
