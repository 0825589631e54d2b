/** Schedules of runbooks with `concurrency` that do not wait. */

import type { JsonObject, Plan } from 'opsbook'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ScheduleFire } from '../../../../src/core/triggers/schedule-record.ts'
import type { RunHandle } from '../../../../src/engine/record/run-handle.ts'
import type { ScheduleStore } from '../../../../src/engine/schedule-store.ts'
import { followRun } from '../../../../src/engine/temporal/client/follow-run.ts'
import { listRuns } from '../../../../src/engine/temporal/client/list-runs.ts'
import { readRunState } from '../../../../src/engine/temporal/client/read-run.ts'
import { readSummary } from '../../../../src/engine/temporal/client/read-summary.ts'
import {
  type ApplyOptions,
  applySchedules,
} from '../../../../src/engine/temporal/schedules/apply-schedules.ts'
import { openScheduleStore } from '../../../../src/engine/temporal/schedules/schedule-store.ts'
import { schedulesOf } from '../../../../src/triggers/schedules/schedule-entry.ts'
import { ordersOf } from '../../../../src/triggers/temporal/apply-plans.ts'
import { systemUserNamed } from '../../../support/identity.ts'
import { approve } from '../support/approve.ts'
import { stageOfFile } from '../support/stage-of-file.ts'

const stage = stageOfFile()
let book: ScheduleStore
beforeAll(() => {
  book = openScheduleStore(stage)
})
// Before the stage is closed.
afterAll(() => applySchedules({ ...stage, orders: [], isToGo: () => true }))

const ask = { id: 'ask', uses: 'core/approve', with: { message: 'Go on?' } }
const tidy = { id: 'tidy', uses: 'core/log', with: { message: 'tidied' } }

/** A runbook with a concurrency key, and its schedule on the server. */
async function scheduled(
  name: string,
  onConflict: string,
  schedule: JsonObject,
  options: Pick<ApplyOptions, 'readPause'> = {},
): Promise<Plan> {
  const plan = stage.compile({
    name,
    concurrency: { key: 'one', 'on-conflict': onConflict },
    triggers: [{ type: 'schedule', ...schedule }],
    steps: [ask],
    finally: [tidy],
  })
  await apply(plan, options)
  return plan
}

function apply(plan: Plan, options: Pick<ApplyOptions, 'readPause'> = {}) {
  const orders = ordersOf(schedulesOf(plan), undefined)
  return applySchedules({ ...stage, orders, isToGo: () => false, ...options })
}

/** Once it asks. */
async function untilAsked({ events }: RunHandle): Promise<void> {
  for await (const { type } of events) if (type === 'waiting') return
}

async function fires(id: string): Promise<readonly ScheduleFire[]> {
  return (await book.listSchedules()).find((one) => one.id === id)?.last ?? []
}

async function untilFire(id: string, isWanted: (fire: ScheduleFire) => boolean): Promise<ScheduleFire> {
  let found: ScheduleFire | undefined
  const look = async () => {
    found = (await fires(id)).find(isWanted)
    return found
  }
  await expect.poll(look).toBeDefined()
  return found as ScheduleFire
}

/** The id of the first run of a schedule that the server has started. */
async function untilRun(id: string): Promise<string> {
  let found: string | undefined
  const isThere = ({ run_id: runId }: ScheduleFire) =>
    stage.client.workflow
      .getHandle(String(runId))
      .describe()
      .then(
        () => true,
        () => false,
      )
  const look = async () => {
    for (const fire of (await fires(id)).filter(started)) {
      if (await isThere(fire)) found = fire.run_id
      if (found !== undefined) return found
    }
  }
  await expect.poll(look).toBeDefined()
  return String(found)
}

const started = ({ because }: ScheduleFire): boolean => because === undefined
const ofKey = ({ because }: ScheduleFire): boolean => because === 'concurrency'

async function resultOf(runId: string) {
  return (await followRun({ runId, isJoined: true }, stage)).result
}

describe('a time that comes while another run has the key', () => {
  it.each(['skip', 'reject'])('starts nothing, and records why: %s', async (onConflict) => {
    const paused = { by: systemUserNamed('ann'), since: new Date().toISOString() }
    const readPause = async () => paused
    const plan = await scheduled(`given-${onConflict}`, onConflict, { every: '1s' }, { readPause })
    const holder = await stage.start(plan)
    await untilAsked(holder)
    await book.pause(plan.name, undefined)
    expect(await untilFire(plan.name, ofKey)).toEqual({
      at: expect.any(String),
      because: 'concurrency',
      message: 'a run for the concurrency key "one" is still running',
      run_id: holder.runId,
    })
    await approve(stage, holder.runId)
    const { at, run_id: runId } = await untilFire(plan.name, started)
    await book.remove(plan.name)
    await approve(stage, String(runId))
    expect(await resultOf(String(runId))).toMatchObject({ status: 'succeeded' })
    const { started_from: from } = readSummary(
      await stage.client.workflow.getHandle(String(runId)).describe(),
    )
    expect(from).toEqual({ kind: 'schedule', schedule: plan.name, trigger: 0, at })
    const runs = await listRuns(stage, { runbook: plan.name })
    expect(runs.map((run) => run.run_id).toSorted()).toEqual([holder.runId, runId].toSorted())
    const query = `WorkflowType = 'runbook/${plan.name}' AND OpsbookStatus = 'not_started'`
    const refused: string[] = []
    for await (const { workflowId } of stage.client.workflow.list({ query })) refused.push(workflowId)
    expect(refused.length).toBeGreaterThan(0)
    for (const id of refused) expect(await readRunState(id, stage)).toBeUndefined()
  })
})

describe('overlap of a schedule with its own open run', () => {
  it('is up to overlap: skip', async () => {
    const plan = await scheduled('own-skip', 'reject', { every: '1s', overlap: 'skip' })
    const { run_id: runId } = await untilFire(plan.name, started)
    const overlapped = async () =>
      (await book.listSchedules()).find(({ id }) => id === plan.name)?.overlapped ?? 0
    await expect.poll(overlapped).toBeGreaterThan(0)
    expect((await fires(plan.name)).filter(ofKey)).toEqual([])
    await book.remove(plan.name)
    await approve(stage, String(runId))
  })

  it('is up to overlap: cancel-other', async () => {
    const plan = await scheduled('own-cancel', 'reject', { every: '3s', overlap: 'cancel-other' })
    // The schedule may cancel a run before it starts.
    const runId = await untilRun(plan.name)
    const ended = await resultOf(String(runId))
    expect(ended.status).toBe('cancelled')
    expect(ended.steps).toContainEqual(expect.objectContaining({ path: 'tidy', status: 'succeeded' }))
    // The line that the cancelled start has begun answers the next one.
    await untilFire(plan.name, (fire) => started(fire) && fire.run_id !== runId)
    await book.remove(plan.name)
  })
})

it('a start by hand names the run that has the key, and is listed with the run', async () => {
  const plan = await scheduled('by-hand', 'skip', { every: '7d' })
  const runId = await book.trigger(plan.name, systemUserNamed('ann'))
  await expect(book.trigger(plan.name, systemUserNamed('bob'))).rejects.toMatchObject({
    code: 'ConcurrencyConflict',
    details: { run_id: runId },
  })
  await approve(stage, runId)
  const report = await resultOf(runId)
  expect(report.status).toBe('succeeded')
  expect(await untilFire(plan.name, started)).toEqual({
    at: expect.any(String),
    run_id: runId,
    started_by: systemUserNamed('ann'),
  })
})
