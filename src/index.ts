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
  type Artifacts,
  createActions,
  defineAction,
  type InputSchema,
  type SecretStore,
} from './actions/index.ts'
export type { ActionDescription, BatchRule, InputProblem, RateLimit, Safety } from './core/action.ts'
export {
  type Diagnostic,
  type DiagnosticCode,
  diagnosticRules,
  type Position,
  type Range,
} from './core/diagnostic.ts'
export type { ErrorCode, KnownErrorCode } from './core/errors.ts'
export type {
  LogLevel,
  RunEvent,
  RunStatus,
  StepStatus,
  TimedRunEvent,
  WaitReason,
} from './core/events.ts'
export type { Answer, Question } from './core/host.ts'
export type { JsonObject, JsonSchema, JsonValue, ObjectSchema } from './core/json.ts'
export type { Plan } from './core/plan.ts'
export { type ErrorData, RunbookError, type RunbookErrorOptions } from './core/run-error.ts'
export {
  type Amendment,
  type AnswerOptions,
  type ArtifactRecord,
  type AskHere,
  type AttemptRecord,
  answerQuestion,
  type Clock,
  type CloseOptions,
  type CompareResumeOptions,
  closeRun,
  compareResume,
  createSharedLimits,
  type DecideOptions,
  type Decision,
  type DecisionRecord,
  decideOutcome,
  type EngineOptions,
  type FollowOptions,
  type GivenAnswer,
  openRunReader,
  type PrunableStatus,
  type PrunedRun,
  type PruneOptions,
  type PruneReport,
  pruneRuns,
  type QuestionRecord,
  type RecordedEvent,
  type RecordedStatus,
  type ResumeComparison,
  type ResumeOptions,
  type ResumeRecord,
  type RunFilter,
  type RunHandle,
  type RunOptions,
  type RunReader,
  type RunRecord,
  type RunReport,
  type RunSummary,
  requestWish,
  resumeRun,
  type SentRecord,
  type SharedLimits,
  type SharedLimitsOptions,
  type StepComparison,
  type StepFate,
  type StepRecord,
  startRun,
  type UndecidedCall,
  type Wish,
  type WishKind,
  type WishOptions,
  type WishRecord,
} from './engine/embedded/index.ts'
export {
  type CheckedInputs,
  checkInputs,
  type LoadOptions,
  type LoadResult,
  loadRunbook,
} from './load/index.ts'
