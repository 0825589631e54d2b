import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject, Plan } from 'opsbook'
import type { MatchedCandidate } from '../../../../src/core/triggers/event-evaluation.ts'
import { awaitedLineOf } from '../../../../src/engine/temporal/concurrency/line-id.ts'
import { type AnswerOrder, answerUpdate } from '../../../../src/engine/temporal/messages.ts'
import { openEventStore } from '../../../../src/engine/temporal/received-events/event-store.ts'
import { applySchedules } from '../../../../src/engine/temporal/schedules/apply-schedules.ts'
import { serverIdOf } from '../../../../src/engine/temporal/schedules/schedule-ids.ts'
import { openScheduleStore } from '../../../../src/engine/temporal/schedules/schedule-store.ts'
import { schedulesOf } from '../../../../src/triggers/schedules/schedule-entry.ts'
import { ordersOf } from '../../../../src/triggers/temporal/apply-plans.ts'
import { systemUserNamed } from '../../../support/identity.ts'
import type { Stage } from '../support/open-stage.ts'

/** A workflow whose history is to be kept, under a name. */
export interface Recorded {
  readonly name: string
  readonly workflowId: string
}

/** Has runs started by events and schedules, one at a time. Resolves with the workflows that did it. */
export async function playStarts(stage: Stage): Promise<readonly Recorded[]> {
  const schedule = await playSchedule(stage)
  return [...(await playEvents(stage)), ...schedule]
}

/** Two runs of one key: the second one waits in line. Resolves with the line and with the second run. */
export async function playLine(stage: Stage): Promise<readonly Recorded[]> {
  const plan = alone(stage, 'waits', 'wait')
  const statusOf = async (runId: string): Promise<unknown> =>
    (await stage.client.workflow.getHandle(runId).describe()).searchAttributes['OpsbookStatus']?.[0]
  // Runs that start at once have no order.
  const first = await stage.start(plan)
  await until(async () => (await statusOf(first.runId)) === 'waiting')
  const second = await stage.start(plan)
  await until(async () => (await statusOf(second.runId)) === 'queued')
  for (const { runId, result } of [first, second]) {
    await approve(stage, runId)
    await result
  }
  const lineId = lineOf(stage, 'waits')
  await ended(stage, lineId)
  return [
    { name: 'line', workflowId: lineId },
    { name: 'line-waits', workflowId: second.runId },
  ]
}

function lineOf({ taskQueue }: Stage, name: string): string {
  return awaitedLineOf(taskQueue, name, { key: 'one', limit: 1, onConflict: 'wait' })?.lineId ?? ''
}

function alone(stage: Stage, name: string, onConflict: string, more: JsonObject = {}): Plan {
  const steps = [{ id: 'ask', uses: 'core/approve', with: { message: 'Go on?' } }]
  return stage.compile({ name, concurrency: { key: 'one', 'on-conflict': onConflict }, steps, ...more })
}

async function playEvents(stage: Stage): Promise<readonly Recorded[]> {
  const book = openEventStore(stage)
  const plain = stage.compile({ name: 'plain', steps: [{ id: 'set', uses: 'core/set', with: { a: 1 } }] })
  const skips = alone(stage, 'skips', 'skip')
  const evaluation = async (id: string, plan: Plan, more: Partial<MatchedCandidate> = {}) => {
    const { name: runbook } = plan
    const maxStarts = { count: 1, perMs: 600_000 }
    const event = { hook: 'incidents', id, type: 'incident', receivedAtMs: Date.now(), body: { n: 1 } }
    const { starts } = await book.evaluation({
      event,
      candidates: [{ runbook, trigger: 0, plan, inputs: {}, maxStarts, ...more }],
    })
    return String(starts[0]?.run_id)
  }
  const often = { maxStarts: { count: 10, perMs: 600_000 } }
  await evaluation('first', plain, { dedupeKey: 'one' })
  await evaluation('first', plain, { dedupeKey: 'one' })
  await evaluation('again', plain, { dedupeKey: 'one' })
  await evaluation('start_limit_reached', plain)
  const held = await evaluation('held', skips, often)
  await evaluation('refused', skips, often)
  await book.notifyMissed([{ id: 'plain', runbook: 'plain', missed: 2 }])
  await book.setPause({ by: systemUserNamed('somebody'), since: new Date().toISOString() })
  await evaluation('paused', plain, often)
  await book.setPause(undefined)
  await approve(stage, held)
  const lineId = lineOf(stage, 'skips')
  await ended(stage, lineId)
  return [
    { name: 'starts-events', workflowId: `opsbook-events/${stage.taskQueue}` },
    { name: 'starts-line', workflowId: lineId },
  ]
}

/** One time whose run is cancelled by the server, and one that finds the key taken. */
async function playSchedule(stage: Stage): Promise<readonly Recorded[]> {
  const recorded: Recorded[] = []
  const started = async (name: string, onConflict: string): Promise<string> => {
    const plan = alone(stage, name, onConflict, { triggers: [{ type: 'schedule', every: '7d' }] })
    const orders = ordersOf(schedulesOf(plan), undefined)
    await applySchedules({ ...stage, orders, isToGo: () => false })
    const { client, taskQueue } = stage
    const handle = client.schedule.getHandle(serverIdOf(taskQueue, name))
    await handle.trigger()
    for (;;) {
      const [action] = (await handle.describe()).info.recentActions
      if (action) {
        await openScheduleStore(stage).remove(name)
        recorded.push({
          name: `starts-scheduled-${onConflict}`,
          workflowId: action.action.workflow.workflowId,
        })
        return action.action.workflow.workflowId
      }
      await sleep(50)
    }
  }
  const runId = await started('scheduled', 'reject')
  await until(() => asks(stage, runId))
  await stage.client.workflow.getHandle(runId).cancel()
  await ended(stage, runId).catch(() => {})
  const holder = await stage.start(alone(stage, 'skipped', 'skip'))
  await ended(stage, await started('skipped', 'skip'))
  await approve(stage, holder.runId)
  return recorded
}

async function ended({ client }: Stage, workflowId: string): Promise<void> {
  await client.workflow.getHandle(workflowId).result()
}

async function asks({ client }: Stage, runId: string): Promise<boolean> {
  const described = await client.workflow.getHandle(runId).describe()
  return described.searchAttributes['OpsbookStatus']?.[0] === 'waiting'
}

function approve({ client }: Stage, runId: string): Promise<void> {
  const order: AnswerOrder = { step: 'ask', approved: true, by: systemUserNamed('somebody') }
  const handle = client.workflow.getHandle(runId)
  return until(() => handle.executeUpdate(answerUpdate, { args: [order] }).then(() => true))
}

/** What is not there yet is asked again. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo().catch(() => false))) await sleep(50)
}
