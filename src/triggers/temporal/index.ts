/** Schedules on a Temporal server. It loads the packages of its SDK. */

export { applyPlans } from './apply-plans.ts'
export { watchMissed } from './watch-missed.ts'
