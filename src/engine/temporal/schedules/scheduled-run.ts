import type { ScheduleOptions, ScheduleOverlapPolicy } from '@temporalio/client'
import type { JsonObject } from '../../../core/json.ts'
import type { Plan } from '../../../core/plan.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { canonicalHash } from '../../attempt/canonical-hash.ts'
import { systemIdentity } from '../../record/system-user.ts'
import { abilitiesOf } from '../client/run-abilities.ts'
import type { ClientPorts } from '../client/talk-to-run.ts'
import { actionQueueOf } from '../connection.ts'
import type { ScheduledStart } from '../messages.ts'
import { actionOf, hasKeyOfEachRun } from './scheduled-action.ts'
import { type SchedulePlan, specOf } from './spec-of.ts'

/** A schedule as a server is to have it. */
export interface ScheduleOrder {
  readonly id: string
  readonly plan: Plan
  /** Place of the trigger in the list of the runbook. */
  readonly trigger: number
  readonly schedule: SchedulePlan
  /** Checked, defaults filled in. */
  readonly inputs: JsonObject
  /** How late a time may be started, in milliseconds. */
  readonly catchUpMs: number
  /** Name of the default connection; left out: that of the workers. */
  readonly connection?: string
}

/** What a schedule on the server is made of. */
export interface ServerSchedule {
  readonly options: Pick<ScheduleOptions, 'spec' | 'action' | 'policies'>
  /** The same for as long as nothing of it has changed. */
  readonly hash: string
}

const overlaps: Readonly<Record<SchedulePlan['overlap'], ScheduleOverlapPolicy>> = {
  skip: 'SKIP',
  'buffer-one': 'BUFFER_ONE',
  'cancel-other': 'CANCEL_OTHER',
  'allow-all': 'ALLOW_ALL',
}

/** What the server is to have. Throws `InvalidInput` for what it cannot do. */
export function serverScheduleOf(order: ScheduleOrder, { client, taskQueue }: ClientPorts): ServerSchedule {
  const { id, plan, trigger, schedule, inputs, catchUpMs, connection } = order
  refuseWhatServersCannot(order)
  const abilities = abilitiesOf(client)
  const start: ScheduledStart = {
    plan,
    inputs,
    scheduled: { schedule: id, trigger },
    startedBy: systemIdentity(),
    actionQueue: actionQueueOf(taskQueue),
    ...abilities,
    ...(connection === undefined ? {} : { connection }),
  }
  const spec = specOf(schedule)
  const policies = { overlap: overlaps[schedule.overlap], catchupWindow: catchUpMs }
  const hash = canonicalHash(
    JSON.parse(JSON.stringify({ spec, policies, inputs, trigger, plan: plan.hash, connection, abilities })),
  )
  const action = actionOf(start, taskQueue)
  const memo = { ...action.memo, scheduleHash: hash }
  return { hash, options: { spec, policies, action: { ...action, memo } } }
}

function refuseWhatServersCannot({ id, plan, inputs, schedule: { everyMs = 1000 } }: ScheduleOrder): void {
  const problem =
    everyMs % 1000 !== 0
      ? `a Temporal server counts in whole seconds, and ${id} has every: ${everyMs}ms`
      : hasKeyOfEachRun(plan, inputs)
        ? `a schedule of a Temporal server needs one concurrency key for all of its runs, and that of ${plan.name} is another one for each`
        : undefined
  if (problem !== undefined) throw new RunbookError('InvalidInput', problem, { notSent: true })
}
