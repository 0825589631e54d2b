/** The embedded engine: runs in this process, every step durable in SQLite, no server. */
export { type RunHandle, type RunReport, startRun } from './start-run.ts'
