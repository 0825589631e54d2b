import type { ScheduleOptions, ScheduleOverlapPolicy } from '@temporalio/client'
import type { JsonObject } from '../../../core/json.ts'
import type { Plan } from '../../../core/plan.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { canonicalHash } from '../../attempt/canonical-hash.ts'
import { systemUser } from '../../record/system-user.ts'
import { listedAs } from '../client/listed-as.ts'
import { converterOf } from '../client/read-history.ts'
import type { ClientPorts } from '../client/talk-to-run.ts'
import { hidesMessages } from '../codec/data-converter.ts'
import { actionQueueOf } from '../connection.ts'
import { runType, type ScheduledStart } from '../messages.ts'
import { newRun } from '../new-run.ts'
import { runIdsOf } from './schedule-ids.ts'
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

/** What a schedule on the server is made of, and what the server is to start. */
export interface ServerSchedule {
  readonly options: Pick<ScheduleOptions, 'spec' | 'action' | 'policies'>
  readonly start: ScheduledStart
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
  const ways = {
    ...newRun,
    ...(hidesMessages(converterOf(client)) ? ({ hidesMessages: true } as const) : {}),
  }
  const start: ScheduledStart = {
    ...ways,
    plan,
    inputs,
    scheduled: { schedule: id, trigger },
    startedBy: systemUser(),
    actionQueue: actionQueueOf(taskQueue),
    ...(connection === undefined ? {} : { connection }),
  }
  const spec = specOf(schedule)
  const policies = { overlap: overlaps[schedule.overlap], catchupWindow: catchUpMs }
  const hash = canonicalHash(
    JSON.parse(JSON.stringify({ spec, policies, inputs, trigger, plan: plan.hash, connection, ways })),
  )
  // Nobody joins it.
  const { memo, ...listed } = listedAs(start, '')
  return {
    start,
    hash,
    options: {
      spec,
      policies,
      action: {
        type: 'startWorkflow',
        workflowType: runType,
        workflowId: runIdsOf(taskQueue, id),
        taskQueue,
        args: [start],
        memo: { ...memo, scheduleHash: hash },
        ...listed,
      },
    },
  }
}

function refuseWhatServersCannot({ id, plan, schedule: { everyMs = 1000 } }: ScheduleOrder): void {
  const problem =
    everyMs % 1000 !== 0
      ? `a Temporal server counts in whole seconds, and ${id} has every: ${everyMs}ms`
      : plan.concurrency
        ? `a schedule of a Temporal server does not keep to the concurrency of ${plan.name}: leave that out, and let overlap say what happens`
        : undefined
  if (problem !== undefined) throw new RunbookError('InvalidInput', problem, { notSent: true })
}
