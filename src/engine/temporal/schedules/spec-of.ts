import type { ScheduleSpec } from '@temporalio/client'
import type { TriggerPlan } from '../../../core/plan.ts'

/** A schedule of a plan. */
export type SchedulePlan = TriggerPlan & { readonly type: 'schedule' }

/**
 * The times of a schedule as a Temporal server is told them. They are those of the embedded engine, but for the hours
 * that summer time skips and repeats: the server has rules of its own there.
 */
export function specOf({ cron, everyMs, timezone, jitterMs, startAt, endAt }: SchedulePlan): ScheduleSpec {
  const startMs = startAt === undefined ? 0 : Date.parse(startAt)
  return {
    ...(cron === undefined ? {} : { cronExpressions: [...eitherDay(cron)] }),
    ...(everyMs === undefined ? {} : { intervals: [{ every: everyMs, offset: phaseOf(startMs, everyMs) }] }),
    timezone: cron !== undefined && isEveryHour(cron) && hasWholeHours(timezone) ? 'UTC' : timezone,
    ...(jitterMs === undefined ? {} : { jitter: jitterMs }),
    ...(startAt === undefined ? {} : { startAt: new Date(startMs) }),
    ...(endAt === undefined ? {} : { endAt: new Date(endAt) }),
  }
}

/** Where both days are limited, either is enough; the server would want both, so it is told two lists of times. */
function eitherDay(cron: string): readonly string[] {
  const [minute, hour, day = '', month, weekday = ''] = cron.trim().split(/\s+/)
  if (day.startsWith('*') || weekday.startsWith('*')) return [cron]
  return [`${minute} ${hour} ${day} ${month} *`, `${minute} ${hour} * ${month} ${weekday}`]
}

/**
 * Such a schedule asks only for minutes, which are the same everywhere but for zones that are some minutes off. In UTC
 * the server leaves no hour of it out.
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

/** The server counts from 1970. */
function phaseOf(startMs: number, everyMs: number): number {
  return ((startMs % everyMs) + everyMs) % everyMs
}
