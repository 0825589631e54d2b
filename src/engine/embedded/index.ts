/** The embedded engine: runs in this process, every step durable in SQLite, no server. */
export type { Amendment } from './amend/amendment.ts'
export { type CompareResumeOptions, compareResume } from './amend/compare-resume.ts'
export type { ResumeComparison, StepComparison, StepFate } from './amend/resume-comparison.ts'
export type { AskHere } from './ask-person.ts'
export type { Clock } from './clock.ts'
export type { GivenAnswer } from './question-rows.ts'
export { resumeRun } from './resume-run.ts'
export type { RunHandle, RunReport } from './run-handle.ts'
export type { EngineOptions, ResumeOptions, RunOptions } from './run-options.ts'
export { type FollowOptions, openRunReader, type RunFilter, type RunReader } from './run-reader.ts'
export type {
  ArtifactRecord,
  AttemptRecord,
  QuestionRecord,
  RecordedEvent,
  RecordedStatus,
  RunRecord,
  RunSummary,
  StepRecord,
} from './run-record.ts'
export { startRun } from './start-run.ts'
