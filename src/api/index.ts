/**
 * The service as a typed client, usable on its own. Everything that can be checked is checked before anything is
 * sent; calls are paced under the rate limits; a create is never repeated when its outcome is unclear.
 */
export type { InputProblem, Safety } from '../core/action.ts'
export type { ErrorCode, KnownErrorCode } from '../core/errors.ts'
export type { JsonObject, JsonSchema, JsonValue } from '../core/json.ts'
export type { RateWindow } from '../core/pacing/index.ts'
export type { RetryPolicy } from '../core/plan/index.ts'
export { type ErrorData, RunbookError } from '../core/run-error.ts'
export type {
  AttemptOptions,
  BatchedMethod,
  BatchFailure,
  BatchMissing,
  BatchTotals,
  CallOptions,
  CallOutput,
  ExportOptions,
  ServiceAnswer,
  StreamOptions,
  UncheckedInput,
} from './client/answer.ts'
export type { Client, EnvelopeMethod, OperationCalls } from './client/client.ts'
export type { CallLog, ClientLimits, ClientOptions, LimitOverride, Logger } from './client/client-options.ts'
export { createClient } from './client/create-client.ts'
export {
  type Alerting,
  type CreateAgentInput,
  type CreateAgentOutput,
  type CreateApplicationInput,
  type CreateApplicationOutput,
  type DisableRuleInput,
  type DisableRuleOutput,
  type ExportSessionInput,
  type GetApplicationsInput,
  type GetApplicationsOutput,
  type IngestionRule,
  type InvokeToolsInput,
  type InvokeToolsOutput,
  type LinkEventType,
  type LinkSystem,
  type Links,
  type ListIngestionRulesInput,
  type ListIngestionRulesOutput,
  type ListToolsInput,
  type ListToolsOutput,
  type Operation,
  type OperationInput,
  type OperationMethod,
  type OperationOutput,
  type Operations,
  operations,
  type PreviewDatasourceInput,
  type PreviewDatasourceOutput,
  type RateLimit,
  type RuleCondition,
  type RumApplication,
  type RumApplicationType,
  type SessionExport,
  type SetPostMortemStatusInput,
  type SetPostMortemStatusOutput,
  type Target,
  type Tool,
  type ToolCall,
  type ToolResult,
  type Tracing,
} from './operations/index.ts'
export { createRateBudget, type RateBudgetOptions } from './pacing/memory-rate-budget.ts'
export type { AcquireOptions, RateBudget, RateLease } from './pacing/rate-budget.ts'
export type { SlotOptions } from './pacing/semaphore.ts'
export { createTargetLocks, type TargetLockOptions, type TargetLocks } from './pacing/target-locks.ts'
export type { CallWait } from './pacing/waits.ts'
export {
  type DispatchEvent,
  type ErrorEvent,
  type LlmCallEvent,
  type MessageEvent,
  type OtherLine,
  type RecordSign,
  type RecordSummary,
  type SessionLine,
  type SessionMeta,
  type ToolCallEvent,
  toolOutputText,
} from './session-record/index.ts'
