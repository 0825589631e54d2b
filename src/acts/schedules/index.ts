/** The schedules of an engine and of the runbooks here. */

export { changeSchedule, type ScheduleAct, type ScheduleVerb } from './change-schedule.ts'
export { type OpenSchedules, withSchedules } from './open-schedules.ts'
export { readSchedules } from './read-schedules.ts'
