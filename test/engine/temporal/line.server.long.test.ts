import { expect, it, onTestFinished } from 'vitest'
import { listRuns } from '../../../src/engine/temporal/client/list-runs.ts'
import { readRunState } from '../../../src/engine/temporal/client/read-run.ts'
import { startRun } from '../../../src/engine/temporal/index.ts'
import { openEventStore } from '../../../src/engine/temporal/received-events/event-store.ts'
import { applySchedules } from '../../../src/engine/temporal/schedules/apply-schedules.ts'
import { serverIdOf } from '../../../src/engine/temporal/schedules/schedule-ids.ts'
import { openScheduleStore } from '../../../src/engine/temporal/schedules/schedule-store.ts'
import { schedulesOf } from '../../../src/triggers/schedules/schedule-entry.ts'
import { ordersOf } from '../../../src/triggers/temporal/apply-plans.ts'
import { approve } from './support/approve.ts'
import { forkProgram, killProcess } from './support/fork-program.ts'
import { stageOfFile } from './support/stage-of-file.ts'

const stage = stageOfFile()

const ask = { id: 'ask', uses: 'core/approve', with: { message: 'Go on?' } }
const waits = (key: string, more = {}) =>
  stage.compile({ name: key, concurrency: { key, 'on-conflict': 'wait' }, steps: [ask], ...more })
const statusOf = async (runId: string): Promise<string | undefined> =>
  (await readRunState(runId, stage))?.status
const until = (runId: string, status: string) =>
  // The line asks for ended runs after 5, 10, 20 and 40 s.
  expect.poll(() => statusOf(runId), { timeout: 90_000 }).toBe(status)

it('the place of a run that was terminated goes to the next one', async () => {
  const plan = waits('terminated')
  const first = await stage.start(plan)
  // Two runs that start at once join in either order.
  await until(first.runId, 'waiting')
  const second = await stage.start(plan)
  await until(second.runId, 'queued')
  await stage.client.workflow.getHandle(first.runId).terminate('by a test')
  await until(second.runId, 'waiting')
  await approve(stage, second.runId)
  expect((await second.result).status).toBe('succeeded')
}, 240_000)

it('a run that an event or a schedule starts waits in the same line', async () => {
  const plan = waits('automatic', { triggers: [{ type: 'schedule', every: '7d' }] })
  const first = await stage.start(plan)
  await until(first.runId, 'waiting')
  const event = { hook: 'incidents', id: 'one', type: 'incident', receivedAtMs: Date.now(), body: {} }
  const maxStarts = { count: 10, perMs: 600_000 }
  const { starts } = await openEventStore(stage).evaluation({
    event,
    candidates: [{ runbook: plan.name, trigger: 0, plan, inputs: {}, maxStarts }],
  })
  const byEvent = String(starts[0]?.run_id)
  await until(byEvent, 'queued')
  const orders = ordersOf(schedulesOf(plan), undefined)
  await applySchedules({ ...stage, orders, isToGo: () => false })
  await stage.client.schedule.getHandle(serverIdOf(stage.taskQueue, plan.name)).trigger()
  const queued = () => listRuns(stage, { runbook: plan.name, status: ['queued'] })
  await expect.poll(async () => (await queued()).length).toBe(2)
  await openScheduleStore(stage).remove(plan.name)
  const bySchedule = String((await queued()).map(({ run_id }) => run_id).find((id) => id !== byEvent))
  expect((await readRunState(bySchedule, stage))?.place_in_line?.before).toEqual([first.runId, byEvent])
  for (const runId of [first.runId, byEvent, bySchedule]) {
    await until(runId, 'waiting')
    await approve(stage, runId)
  }
  await until(bySchedule, 'succeeded')
}, 300_000)

const limit = 2

it('of 8 runs, never more than two execute, however often their worker is killed', async () => {
  const taskQueue = `line-killed-${process.pid}`
  const client = { ...stage, taskQueue }
  const plan = stage.compile({
    name: 'killed',
    concurrency: { key: 'one', limit, 'on-conflict': 'wait' },
    steps: [{ id: 'hold', uses: 'core/wait', with: { for: '1s' } }],
  })
  const { settings, sandboxUrl, dataDir } = stage
  const open = () => forkProgram('worker-process', [settings.address, taskQueue, sandboxUrl, dataDir])
  let worker = await open()
  onTestFinished(() => killProcess(worker))
  const ids: string[] = []
  for (let run = 0; run < 8; run++)
    ids.push((await startRun({ client: stage.client, taskQueue, dataDir, plan, inputs: {} })).runId)
  // The server knows it without a worker.
  const ended = async (): Promise<number> => {
    const described = await Promise.all(ids.map((runId) => stage.client.workflow.getHandle(runId).describe()))
    return described.filter(({ status }) => status.name === 'COMPLETED').length
  }
  for (const least of [1, 3, 5]) {
    await expect.poll(ended, { timeout: 60_000 }).toBeGreaterThanOrEqual(least)
    await killProcess(worker)
    worker = await open()
  }
  await expect.poll(ended, { timeout: 120_000 }).toBe(8)
  const spans = await Promise.all(
    ids.map(async (runId) => {
      const [hold] = (await readRunState(runId, client))?.steps ?? []
      return { fromMs: Date.parse(hold?.started_at ?? ''), toMs: Date.parse(hold?.ended_at ?? '') }
    }),
  )
  const most = spans.map(
    ({ fromMs }) => spans.filter((one) => one.fromMs <= fromMs && fromMs < one.toMs).length,
  )
  expect(Math.max(...most)).toBeLessThanOrEqual(limit)
  expect(spans.every(({ fromMs, toMs }) => toMs - fromMs >= 1000)).toBe(true)
}, 240_000)
