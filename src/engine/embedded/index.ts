/** The embedded engine: runs in this process, every step durable in SQLite, no server. */

export { readCallbackKey } from './callbacks/callback-key.ts'
export { type AnswerOptions, answerQuestion } from './control/answer-question.ts'
export { type CloseOptions, closeRun } from './control/close-run.ts'
export { type DecideOptions, decideOutcome } from './control/decide-outcome.ts'
export { type ControlOptions, requestControl } from './control/request-control.ts'
export { hasDatabase, openDatabase } from './database/database.ts'
export { fromJson, sql, sqlPart } from './database/sql.ts'
export { createSharedLimits, type SharedLimits, type SharedLimitsOptions } from './limits/shared-limits.ts'
export {
  type DueNotice,
  type NoticeStore,
  openNoticeStore,
} from './notifications/notice-store.ts'
export {
  type PrunableStatus,
  type PrunedRun,
  type PruneOptions,
  type PruneReport,
  pruneRuns,
} from './prune/prune-runs.ts'
export { type QueuedRun, queueRun } from './queue/enqueue-run.ts'
export type { ResumeWait } from './queue/queue-state.ts'
export { createRunQueue } from './queue/run-queue.ts'
export { findServing, isServed, recordServing, takeServeLock } from './queue/serve-lock.ts'
export { openEmbeddedEngine } from './read/embedded-engine.ts'
export { openRunReader, type RunReader } from './read/run-reader.ts'
export { type EmbeddedEventStore, openEventStore } from './received-events/event-store.ts'
export { type CompareResumeOptions, compareResume } from './resume/compare-resume.ts'
export { claimQueuedRun } from './run/claim-queued-run.ts'
export { resumeRun } from './run/resume-run.ts'
export type { EngineOptions, ResumeOptions, RunOptions } from './run/run-options.ts'
export { type RunScope, readUnowned, type UnownedRun } from './run/run-scope.ts'
export { startRun } from './run/start-run.ts'
export type { StoredSchedule } from './schedules/schedule-rows.ts'
export {
  type EvaluatedFire,
  openScheduleTable,
  type ScheduleEvaluation,
  type ScheduleMemory,
  type ScheduleTable,
} from './schedules/schedule-table.ts'
export type { Decision } from './tables/decision-rows.ts'
