import { type JsonObject, RunbookError } from 'opsbook'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ScheduleStore } from '../../../../src/engine/schedule-store.ts'
import { followRun } from '../../../../src/engine/temporal/client/follow-run.ts'
import {
  type ApplyOptions,
  applySchedules,
  type ScheduleChange,
} from '../../../../src/engine/temporal/schedules/apply-schedules.ts'
import { serverIdOf } from '../../../../src/engine/temporal/schedules/schedule-ids.ts'
import { openScheduleStore } from '../../../../src/engine/temporal/schedules/schedule-store.ts'
import { schedulesOf } from '../../../../src/triggers/schedules/schedule-entry.ts'
import { ordersOf } from '../../../../src/triggers/temporal/apply-plans.ts'
import { systemUserNamed } from '../../../support/identity.ts'
import { stageOfFile } from '../support/stage-of-file.ts'

const told: string[] = []
const stage = stageOfFile([], {
  notices: {
    compose({ kind, runbook }) {
      told.push(`${kind} ${runbook}`)
      return []
    },
    send: async () => ({ isDelivered: true }),
  },
})
let book: ScheduleStore
beforeAll(() => {
  book = openScheduleStore(stage)
})
// Before the stage is closed.
afterAll(() => applySchedules({ ...stage, orders: [], isToGo: () => true }))

const steps = [{ id: 'say', uses: 'core/log', with: { message: 'now' } }]

function apply(
  runbooks: Readonly<Record<string, readonly JsonObject[]>>,
  options: Partial<ApplyOptions> = {},
  more: JsonObject = {},
): Promise<readonly ScheduleChange[]> {
  const plans = Object.entries(runbooks).map(([name, schedules]) =>
    stage.compile({
      name,
      title: 'A title',
      steps,
      triggers: schedules.map((keys) => ({ type: 'schedule', ...keys })),
      ...more,
    }),
  )
  const orders = ordersOf(plans.flatMap(schedulesOf), undefined)
  return applySchedules({ ...stage, orders, isToGo: () => true, ...options })
}

async function untilRuns(id: string, count: number): Promise<readonly string[]> {
  let runs: readonly string[] = []
  const look = async () => {
    const found = (await book.listSchedules()).find((one) => one.id === id)?.last ?? []
    runs = found.flatMap(({ run_id: runId }) => runId ?? []).toReversed()
    return runs.length
  }
  await expect.poll(look).toBeGreaterThanOrEqual(count)
  return runs
}

/** The list of the server lags behind. */
async function untilListed(...ids: readonly string[]): Promise<void> {
  await expect.poll(async () => (await book.listSchedules()).map(({ id }) => id)).toEqual(ids)
}

describe('the schedules of runbooks on a server', () => {
  it('are made, kept, changed where they are, and removed when no runbook names them any more', async () => {
    const daily = { cron: '0 8 * * 1-5', timezone: 'Europe/Berlin' }
    const changesOf = (changes: readonly ScheduleChange[]): readonly string[] =>
      changes.map(({ id, change, error }) => [change, id, ...(error ? [error.code] : [])].join(' '))
    expect(
      changesOf(await apply({ one: [daily], two: [daily, { every: '6h' }] }, { isDryRun: true })),
    ).toEqual(['create one', 'create two', 'create two.2'])
    expect(await book.listSchedules()).toEqual([])
    expect(changesOf(await apply({ one: [daily], two: [daily, { every: '6h' }] }))).toEqual([
      'create one',
      'create two',
      'create two.2',
    ])
    expect(changesOf(await apply({ one: [daily], two: [daily, { every: '6h' }] }))).toEqual([
      'keep one',
      'keep two',
      'keep two.2',
    ])
    await untilListed('one', 'two', 'two.2')
    expect(changesOf(await apply({ one: [{ ...daily, overlap: 'buffer-one' }], two: [daily] }))).toEqual([
      'update one',
      // Its runbook is another one: it would start the old one otherwise.
      'update two',
      'delete two.2',
    ])
    const described = await stage.client.schedule.getHandle(serverIdOf(stage.taskQueue, 'one')).describe()
    expect(described.policies).toMatchObject({ overlap: 'BUFFER_ONE', catchupWindow: 60_000 })
    const rows = async () =>
      (await book.listSchedules()).map(({ id, runbook, state, next }) => [id, runbook, state, next.length])
    await expect.poll(rows).toEqual([
      ['one', 'one', 'active', 5],
      ['two', 'two', 'active', 5],
    ])
  })

  it('are not made while the pause cannot be read; existing ones stay', async () => {
    const options: Partial<ApplyOptions> = {
      isToGo: () => false,
      readPause: () => Promise.reject(new RunbookError('NoWorker', 'nobody')),
    }
    await apply({ there: [{ every: '1h' }] }, { isToGo: () => false })
    expect(await apply({ there: [{ every: '1h' }], unmade: [{ every: '1h' }] }, options)).toMatchObject([
      { id: 'there', change: 'keep' },
      { id: 'unmade', change: 'fail', error: { code: 'NoWorker' } },
    ])
    expect((await book.listSchedules()).map(({ id }) => id)).not.toContain('unmade')
  })

  it('of others are left alone', async () => {
    const action = { type: 'startWorkflow', workflowType: 'x', taskQueue: 'nobody', workflowId: 'x' } as const
    const others = [`${stage.taskQueue}-other`, `${stage.taskQueue}:eu`]
    const ids = [`mine-${stage.taskQueue}`, ...others.map((queue) => serverIdOf(queue, 'one'))]
    for (const scheduleId of ids)
      await stage.client.schedule.create({ scheduleId, spec: { intervals: [{ every: '1 day' }] }, action })
    // The list of the server lags behind.
    const listed = async (): Promise<readonly string[]> => {
      const found: string[] = []
      for await (const { scheduleId } of stage.client.schedule.list()) found.push(scheduleId)
      return found
    }
    await expect.poll(listed).toEqual(expect.arrayContaining(ids))
    await apply({})
    expect(await listed()).toEqual(expect.arrayContaining(ids))
    for (const id of ids) await stage.client.schedule.getHandle(id).delete()
  })

  it('are made once when several apply them at a time', async () => {
    const all = await Promise.all(
      Array.from({ length: 10 }, () => apply({ busy: [{ every: '1h' }] }, { isToGo: () => false })),
    )
    expect(all.flat().flatMap(({ error }) => error ?? [])).toEqual([])
    const busy = async () => (await book.listSchedules()).filter(({ id }) => id === 'busy')
    await expect.poll(busy).toHaveLength(1)
  })

  it('that a server does not support are reported, and the others are still made', async () => {
    const changes = await apply(
      { odd: [{ every: '1500ms' }], sound: [{ every: '1h' }] },
      { isToGo: () => false },
    )
    expect(changes).toMatchObject([
      { id: 'odd', error: { code: 'InvalidInput' } },
      { id: 'sound', change: 'create' },
    ])
  })

  it('start runs that are like any others, and say what started them', async () => {
    await apply({ ticks: [{ every: '1s', overlap: 'allow-all' }] }, { isToGo: () => false })
    const runs = await untilRuns('ticks', 2)
    await book.pause('ticks', { by: systemUserNamed('ann') })
    const { engine } = stage
    const ats: string[] = []
    for (const runId of runs.slice(0, 2)) {
      const report = await (await followRun({ runId, isJoined: true }, stage)).result
      expect(report).toMatchObject({ run_id: runId, runbook: 'ticks', status: 'succeeded' })
      const record = await engine.readRun(runId)
      expect(record).toMatchObject({
        run_id: runId,
        title: 'A title',
        started_from: { kind: 'schedule', schedule: 'ticks', trigger: 0 },
      })
      ats.push(record?.started_from?.kind === 'schedule' ? record.started_from.at : '')
      // The run starts at the time of the schedule or later.
      expect(Date.parse(record?.started_at ?? '')).toBeGreaterThanOrEqual(Date.parse(ats.at(-1) ?? ''))
    }
    expect(Date.parse(ats[1] ?? '') - Date.parse(ats[0] ?? '')).toBe(1000)
    const listed = () => engine.listRuns({ runbook: 'ticks' })
    // The list of the server lags behind.
    await expect
      .poll(async () => (await listed()).map(({ run_id: id }) => id))
      .toEqual(expect.arrayContaining(runs.slice(0, 2)))
    expect((await listed())[0]?.started_from).toMatchObject({ kind: 'schedule', schedule: 'ticks' })
  })

  it('notify people of failed runs', async () => {
    const wrong = [{ id: 'wrong', uses: 'core/assert', with: { that: ['${{ 1 == 2 }}'] } }]
    await apply({ fails: [{ every: '1s' }] }, { isToGo: () => false }, { steps: wrong })
    await untilRuns('fails', 1)
    await book.remove('fails')
    await expect.poll(() => told).toContain('run_failed fails')
  })

  it('can be started by hand, paused or not', async () => {
    await apply({ wanted: [{ every: '7d' }] }, { isToGo: () => false })
    await book.pause('wanted', { by: systemUserNamed('ann') })
    const runId = await book.trigger('wanted', systemUserNamed('ann'))
    const report = await (await followRun({ runId, isJoined: true }, stage)).result
    expect(report).toMatchObject({ run_id: runId, status: 'succeeded' })
    await expect(book.trigger('nobody', systemUserNamed('ann'))).rejects.toMatchObject({
      code: 'InvalidInput',
    })
    await book.remove('wanted')
    await expect(book.remove('wanted')).rejects.toMatchObject({ code: 'InvalidInput' })
  })
})
