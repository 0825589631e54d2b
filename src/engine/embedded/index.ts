/** The embedded engine: runs in this process, every step durable in SQLite, no server. */
export type { StepRecord } from './journal.ts'
export { type RunHandle, type RunOptions, type RunReport, startRun } from './start-run.ts'
