/** Durations, calendar times and time zones, without a clock. */
export { recordedTime } from './calendar.ts'
export { checkedCron, parseCron } from './cron.ts'
export { formatDuration, parseDuration } from './duration.ts'
export { zoneProblem } from './time-zone.ts'
