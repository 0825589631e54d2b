import { Cron } from 'croner'
import type { TriggerPlan } from '../../core/plan.ts'

/** A schedule of a plan. */
export type Schedule = TriggerPlan & { readonly type: 'schedule' }

/**
 * The next times of a schedule after this one, in Unix milliseconds and without jitter; fewer where it ends. `every`
 * counts from `start-at`, and from 1970 where there is none, so that its times do not depend on who asks when.
 */
export function nextStarts(schedule: Schedule, afterMs: number, count: number): readonly number[] {
  const { startAt, endAt, cron, everyMs = 0 } = schedule
  const startMs = startAt === undefined ? undefined : Date.parse(startAt)
  const endMs = endAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(endAt)
  // The first moment itself is one of the times.
  const fromMs = Math.max(afterMs, (startMs ?? 0) - 1)
  const times =
    cron === undefined
      ? everyTimes(everyMs, startMs ?? 0, fromMs, count)
      : cronTimes(cron, schedule.timezone, fromMs, count)
  return times.filter((time) => time <= endMs)
}

function everyTimes(everyMs: number, anchorMs: number, fromMs: number, count: number): readonly number[] {
  if (everyMs <= 0) return []
  const first = Math.floor((fromMs - anchorMs) / everyMs) + 1
  return Array.from({ length: count }, (_, index) => anchorMs + (first + index) * everyMs)
}

function cronTimes(cron: string, timezone: string, fromMs: number, count: number): readonly number[] {
  const [, , day = '', , weekday = ''] = cron.trim().split(/\s+/)
  const job = new Cron(cron, {
    paused: true,
    timezone,
    mode: '5-part',
    // `5/15` goes on from 5.
    sloppyRanges: true,
    // As crontab has it: where both days are limited, either is enough; `*/2` is no limit of this kind.
    domAndDow: day.startsWith('*') || weekday.startsWith('*'),
  })
  return job.nextRuns(count, new Date(fromMs)).map((time) => time.getTime())
}
