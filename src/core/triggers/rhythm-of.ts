import type { TriggerPlan } from '../plan.ts'
import type { ScheduleRhythm } from './schedule-record.ts'

/** What people want to see of the times of a schedule. */
export function rhythmOf({
  cron,
  everyMs,
  timezone,
  overlap,
}: TriggerPlan & { readonly type: 'schedule' }): ScheduleRhythm {
  return {
    ...(cron === undefined ? {} : { cron }),
    ...(everyMs === undefined ? {} : { every_ms: everyMs }),
    timezone,
    overlap,
  }
}
