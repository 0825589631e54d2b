/** The embedded engine: runs in this process, every step durable in SQLite, no server. */

export type { Amendment } from '../../core/amend/amendment.ts'
export type { ResumeComparison, StepComparison, StepFate } from '../../core/amend/resume-comparison.ts'
export type { ControlKind, ControlRequest } from '../../core/record/control-request.ts'
export type { ControlRequestRecord, DecisionRecord, ResumeRecord } from '../../core/record/run-history.ts'
export type {
  ArtifactRecord,
  AttemptRecord,
  QuestionRecord,
  RecordedEvent,
  RecordedStatus,
  RunRecord,
  RunSummary,
  SentRecord,
  StepRecord,
} from '../../core/record/run-record.ts'
export type { Clock } from '../attempt/clock.ts'
export type {
  AskHere,
  FollowOptions,
  GivenAnswer,
  RunFilter,
  UndecidedCall,
} from '../engine.ts'
export type { ComposeNotice, Notice, NoticeDraft, NoticeKind } from '../record/notice.ts'
export type { RunHandle, RunReport } from '../record/run-handle.ts'
export { systemUser } from '../record/system-user.ts'
export { type CompareResumeOptions, compareResume } from './amend/compare-resume.ts'
export { type AnswerOptions, answerQuestion } from './answer-question.ts'
export { type CloseOptions, closeRun } from './close-run.ts'
export { type DecideOptions, decideOutcome } from './decide-outcome.ts'
export type { Decision } from './decision-rows.ts'
export { type DueNotice, type NoticeStore, openNoticeStore, type UndeliveredNotices } from './notice-store.ts'

export {
  type PrunableStatus,
  type PrunedRun,
  type PruneOptions,
  type PruneReport,
  pruneRuns,
} from './prune-runs.ts'
export { type ControlOptions, requestControl } from './request-control.ts'
export { resumeRun } from './resume-run.ts'
export type { EngineOptions, ResumeOptions, RunOptions } from './run-options.ts'
export { openRunReader, type RunReader } from './run-reader.ts'
export type { RunScope } from './run-scope.ts'
export {
  openScheduleStore,
  type ScheduleMemory,
  type ScheduleStore,
  type ScheduleTurn,
  type StoredSchedule,
  type TurnFire,
} from './schedules/schedule-store.ts'
export { createSharedLimits, type SharedLimits, type SharedLimitsOptions } from './shared-limits/index.ts'
export { startRun } from './start-run.ts'
