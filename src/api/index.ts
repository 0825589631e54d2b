/**
 * The service as a typed client, usable on its own. Everything that can be checked is checked before anything is
 * sent; calls are paced under the rate limits; a create is never repeated when its outcome is unclear.
 */
export type { InputProblem, Safety } from '../core/action.ts'
export type { ErrorCode, KnownErrorCode } from '../core/errors.ts'
export type { JsonObject, JsonSchema, JsonValue } from '../core/json.ts'
export type { RateWindow } from '../core/rate-windows.ts'
export type { RetryPolicy } from '../core/retry.ts'
export { type ErrorData, RunbookError } from '../core/run-error.ts'
export type {
  Answer,
  AttemptOptions,
  BatchedMethod,
  BatchFailure,
  BatchMissing,
  BatchTotals,
  CallOptions,
  CallOutput,
  ExportOptions,
  StreamOptions,
  UncheckedInput,
} from './answer.ts'
export type { Client, EnvelopeMethod, OperationCalls } from './client.ts'
export type { ClientLimits, ClientOptions, LimitOverride } from './client-options.ts'
export { createClient } from './create-client.ts'
export type { CallLog, Logger } from './logger.ts'
export { createRateBudget, type RateBudgetOptions } from './memory-rate-budget.ts'
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
export type { AcquireOptions, RateBudget, RateLease } from './rate-budget.ts'
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
export { createTargetLocks, type TargetLockOptions, type TargetLocks } from './target-locks.ts'
export type { TurnOptions } from './turns.ts'
export type { CallWait } from './waits.ts'
