export { applySchedules, type ScheduleChange } from './apply-schedules.ts'
export { readMissedTimes } from './schedule-ids.ts'
export { openScheduleStore } from './schedule-store.ts'
export type { ScheduleOrder } from './scheduled-run.ts'
