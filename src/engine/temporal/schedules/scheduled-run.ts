import type { ScheduleOptions, ScheduleOverlapPolicy, ScheduleSpec } from '@temporalio/client'
import { evaluateTemplate, known, knownMap, unknown } from '../../../core/expressions/index.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Plan, TriggerPlan } from '../../../core/plan/index.ts'
import { concurrencyOf } from '../../../core/record/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { checkedCron } from '../../../core/times/index.ts'
import { canonicalHash } from '../../attempt/index.ts'
import { systemIdentity } from '../../record/index.ts'
import { listingOf, messagePrivacy } from '../client/start-options.ts'
import { named } from '../codec/message-names.ts'
import { awaitedLineOf } from '../concurrency/line-id.ts'
import { actionQueueOf } from '../connection.ts'
import type { ScheduledStart } from '../messages.ts'
import { runTypeOf } from '../run-listing.ts'
import { runIdsOf } from './schedule-ids.ts'

/** A schedule that a server should have. */
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

/** The options of a schedule on the server. */
export interface ServerSchedule {
  readonly options: Pick<ScheduleOptions, 'spec' | 'action' | 'policies'>
  /** Changes with any part of the schedule. */
  readonly hash: string
}

const overlaps: Readonly<Record<SchedulePlan['overlap'], ScheduleOverlapPolicy>> = {
  skip: 'SKIP',
  'buffer-one': 'BUFFER_ONE',
  'cancel-other': 'CANCEL_OTHER',
  'allow-all': 'ALLOW_ALL',
}

/** The schedule for the server. Throws `InvalidInput` for what a server cannot do. */
export function serverScheduleOf(order: ScheduleOrder, taskQueue: string): ServerSchedule {
  const { id, plan, trigger, schedule, inputs, catchUpMs, connection } = order
  refuseWhatServersCannot(order)
  const privacy = messagePrivacy()
  const start: ScheduledStart = {
    plan,
    inputs,
    scheduled: { schedule: id, trigger },
    startedBy: systemIdentity(),
    actionQueue: actionQueueOf(taskQueue),
    ...privacy,
    ...(connection === undefined ? {} : { connection }),
  }
  const spec = specOf(schedule)
  const policies = { overlap: overlaps[schedule.overlap], catchupWindow: catchUpMs }
  const hash = canonicalHash(
    JSON.parse(JSON.stringify({ spec, policies, inputs, trigger, plan: plan.hash, connection, privacy })),
  )
  const action = actionOf(start, taskQueue)
  const memo = Object.entries({ ...action.memo, scheduleHash: hash })
  return { hash, options: { spec, policies, action: { ...action, ...ofSchedule(action, memo) } } }
}

/** Names what the action starts in all its payloads: the workflows have other ids than the action. */
function ofSchedule(
  { workflowType, args = [] }: ScheduleOptions['action'],
  memo: readonly (readonly [string, unknown])[],
): { readonly args: unknown[]; readonly memo: Record<string, unknown> } {
  const name = (values: readonly unknown[]): unknown[] => named('scheduled', String(workflowType), values)
  return { args: name(args), memo: Object.fromEntries(memo.map(([key, value]) => [key, name([value])[0]])) }
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

/** What the server starts at the times of a schedule. */
function actionOf(given: ScheduledStart, taskQueue: string): ScheduleOptions['action'] {
  const { plan, inputs, scheduled } = given
  const concurrency = concurrencyOf(plan, inputs, { id: '', started_at: '' })
  const line = awaitedLineOf(taskQueue, plan.name, concurrency)
  const start = line ? { ...given, line } : given
  return {
    type: 'startWorkflow',
    taskQueue,
    workflowType: runTypeOf(plan.name),
    workflowId: runIdsOf(taskQueue, scheduled.schedule),
    args: [start],
    // No start joins a run of a schedule.
    ...listingOf(start, ''),
  }
}

/** Whether the concurrency key depends on more than the inputs: the server starts each time with the same line. */
function hasKeyOfEachRun({ concurrency, name }: Plan, inputs: ScheduledStart['inputs']): boolean {
  if (!concurrency) return false
  const run = knownMap({ id: unknown, name: known(name), started_at: unknown })
  return evaluateTemplate(concurrency.key, { inputs: known(inputs), run }).state === 'unknown'
}

/** A schedule of a plan. */
export type SchedulePlan = TriggerPlan & { readonly type: 'schedule' }

/**
 * The times of a schedule for a Temporal server: those of the embedded engine, except in the hours that summer time
 * skips and repeats, where the server has its own rules.
 */
export function specOf({ cron, everyMs, timezone }: SchedulePlan): ScheduleSpec {
  return {
    ...(cron === undefined ? {} : { cronExpressions: [...eitherDay(cron)] }),
    ...(everyMs === undefined ? {} : { intervals: [{ every: everyMs }] }),
    timezone: cron !== undefined && isEveryHour(cron) && hasWholeHours(timezone) ? 'UTC' : timezone,
  }
}

/**
 * Where both days are limited, either is enough. The server requires both, so it receives two lists of times.
 */
function eitherDay(cron: string): readonly string[] {
  const { fields, isEitherDay } = checkedCron(cron)
  const { minute, hour, day, month, weekday } = fields
  if (!isEitherDay) return [Object.values(fields).join(' ')]
  return [`${minute} ${hour} ${day} ${month} *`, `${minute} ${hour} * ${month} ${weekday}`]
}

/**
 * A schedule of minutes only, which are the same in every zone of whole hours. In UTC the server skips no
 * hour.
 */
function isEveryHour(cron: string): boolean {
  const [, ...others] = cron.trim().split(/\s+/)
  return others.every((field) => field === '*')
}

/** Whether the clocks of a zone differ from UTC by whole hours, in winter and in summer. */
function hasWholeHours(timeZone: string): boolean {
  const format = new Intl.DateTimeFormat('en', { timeZone, minute: 'numeric' })
  const year = new Date().getUTCFullYear()
  return [0, 6].every((month) => Number(format.format(Date.UTC(year, month, 1))) === 0)
}
