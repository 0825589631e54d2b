import type { ScheduleOptions } from '@temporalio/client'
import { concurrencyOf } from '../../../core/concurrency-key.ts'
import { evaluateTemplate, known, knownMap, unknown } from '../../../core/forecast/known.ts'
import type { Plan } from '../../../core/plan.ts'
import { listedAs } from '../client/listed-as.ts'
import { lockIdOf } from '../concurrency/lock-id.ts'
import type { ConcurrencyOrder } from '../concurrency/messages.ts'
import type { ScheduledStart } from '../messages.ts'
import { runTypeOf } from '../run-type.ts'
import { type ScheduledOrder, scheduledPrefix, scheduledType } from './messages.ts'
import { runIdsOf } from './schedule-ids.ts'

/** What the server starts at the times of a schedule: the run, or what starts it where one goes on at a time. */
export function actionOf(start: ScheduledStart, taskQueue: string): ScheduleOptions['action'] {
  const { plan, scheduled } = start
  const { schedule: id } = scheduled
  // Nobody joins it.
  const listed = listedAs(start, '')
  const alone = aloneOf(start, taskQueue)
  const workflowId = runIdsOf(taskQueue, id)
  const common = { type: 'startWorkflow', taskQueue } as const
  if (!alone) return { ...common, workflowType: runTypeOf(plan.name), workflowId, args: [start], ...listed }
  const order: ScheduledOrder = { start, listed, alone }
  return {
    ...common,
    workflowType: scheduledType,
    workflowId: scheduledPrefix + workflowId,
    args: [order],
    searchAttributes: { OpsbookRunbook: [plan.name] },
    staticSummary: `a run of ${id}, one at a time`,
  }
}

/** Undefined: any number of its runs may go on. */
function aloneOf({ plan, inputs }: ScheduledStart, taskQueue: string): ConcurrencyOrder | undefined {
  const concurrency = concurrencyOf(plan, inputs, { id: '', started_at: '' })
  if (!concurrency) return undefined
  const { key } = concurrency
  return { key, lockId: lockIdOf(taskQueue, plan.name, key) }
}

/** Whether the concurrency key depends on more than the inputs: the workflow that starts a run has no hash to name its lock workflow by. */
export function hasKeyOfEachRun({ concurrency, name }: Plan, inputs: ScheduledStart['inputs']): boolean {
  if (!concurrency) return false
  const run = knownMap({ id: unknown, name: known(name), started_at: unknown })
  return evaluateTemplate(concurrency.key, { inputs: known(inputs), run }).state === 'unknown'
}
