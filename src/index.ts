/**
 * Opsbook as a library: load a runbook, run it in this process, and add actions to the language. The client of the
 * service is `opsbook/api`, its stand-in for tests `opsbook/sandbox`.
 */

export {
  type Action,
  type ActionAnswer,
  type ActionContext,
  type ActionDefinition,
  type ActionLog,
  type ActionRunContext,
  type ActionsOptions,
  type Artifacts,
  type CommandRules,
  createActions,
  createHttpConnection,
  defineAction,
  type HttpConnection,
  type HttpConnectionOptions,
  type HttpRules,
  type InputSchema,
  type LogLine,
  type SecretStore,
} from './actions/index.ts'
export type {
  ActionDescription,
  BatchRule,
  InputProblem,
  RateLimit,
  Safety,
  SafetyRule,
} from './core/action.ts'
export type { ErrorCode, KnownErrorCode } from './core/errors.ts'
export type {
  LogLevel,
  RunEvent,
  RunStatus,
  StepStatus,
  TimedRunEvent,
  WaitReason,
} from './core/events.ts'
export type { JsonObject, JsonSchema, JsonValue, ObjectSchema } from './core/json.ts'
export type {
  Answer,
  AnswerDecision,
  AnswerPolicy,
  GivenAnswer,
  People,
  Question,
  QuestionRecord,
  RecordedAnswer,
} from './core/people/index.ts'
export type { Plan } from './core/plan/index.ts'
export type {
  ArtifactRecord,
  AttemptRecord,
  ControlKind,
  ControlRequest,
  ControlRequestRecord,
  DecisionRecord,
  RecordedEvent,
  RecordedStatus,
  ResumeRecord,
  RunRecord,
  RunSummary,
  SentRecord,
  StepRecord,
} from './core/record/index.ts'
export type { ResumeChanges, ResumeComparison, StepComparison, StepFate } from './core/resume/index.ts'
export { type ErrorData, RunbookError, type RunbookErrorOptions } from './core/run-error.ts'
export type { Clock } from './engine/attempt/index.ts'
export {
  type AnswerOptions,
  answerQuestion,
  type CloseOptions,
  type CompareResumeOptions,
  type ControlOptions,
  closeRun,
  compareResume,
  createSharedLimits,
  type DecideOptions,
  type Decision,
  type DueNotice,
  decideOutcome,
  type EngineOptions,
  type NoticeStore,
  openNoticeStore,
  openRunReader,
  type PrunableStatus,
  type PrunedRun,
  type PruneOptions,
  type PruneReport,
  pruneRuns,
  type ResumeOptions,
  type RunOptions,
  type RunReader,
  type RunScope,
  requestControl,
  resumeRun,
  type SharedLimits,
  type SharedLimitsOptions,
  startRun,
} from './engine/embedded/index.ts'
export type { AskHere, FollowOptions, RunFilter, UnresolvedCall } from './engine/index.ts'
export type {
  ComposeNotice,
  Notice,
  NoticeDraft,
  NoticeKind,
  UndeliveredNotices,
} from './engine/notices/index.ts'
export type { RunHandle, RunReport } from './engine/record/index.ts'
export {
  type CheckedInputs,
  checkInputs,
  type Diagnostic,
  type DiagnosticCode,
  diagnosticRules,
  type LoadOptions,
  type LoadResult,
  loadRunbook,
  type Position,
  type Range,
} from './load/index.ts'
