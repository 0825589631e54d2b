export { openEmbeddedScheduleStore } from './embedded-schedule-store.ts'
export {
  compareEntries,
  nextStarts,
  type Schedule,
  type ScheduleEntry,
  schedulesOf,
} from './schedule-entry.ts'
export { createTriggerScheduler } from './scheduler.ts'
