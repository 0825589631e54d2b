export { openEmbeddedScheduleStore } from './embedded-schedule-store.ts'
export {
  compareEntries,
  nextStarts,
  type Schedule,
  type ScheduleEntry,
  schedulesOf,
} from './schedule-entry.ts'
export { createScheduler } from './scheduler.ts'
