/**
 * The operations of the service: one record each. The client, the actions, the sandbox's routes, editor help
 * and the reference all come from this table.
 */
import { createAgent } from './create-agent.ts'
import { createApplication } from './create-application.ts'
import { disableRule } from './disable-rule.ts'
import { exportSession } from './export-session.ts'
import { getApplications } from './get-applications.ts'
import { invokeTools } from './invoke-tools.ts'
import { listIngestionRules } from './list-ingestion-rules.ts'
import { listTools } from './list-tools.ts'
import type { Operation } from './operation.ts'
import { previewDatasource } from './preview-datasource.ts'
import { setPostMortemStatus } from './set-post-mortem-status.ts'

/** Every operation, by the name of its client method. */
export interface Operations {
  readonly createAgent: typeof createAgent
  readonly createApplication: typeof createApplication
  readonly getApplications: typeof getApplications
  readonly listTools: typeof listTools
  readonly invokeTools: typeof invokeTools
  readonly previewDatasource: typeof previewDatasource
  readonly exportSession: typeof exportSession
  readonly disableRule: typeof disableRule
  readonly setPostMortemStatus: typeof setPostMortemStatus
  readonly listIngestionRules: typeof listIngestionRules
}

export const operations: Operations = {
  createAgent,
  createApplication,
  getApplications,
  listTools,
  invokeTools,
  previewDatasource,
  exportSession,
  disableRule,
  setPostMortemStatus,
  listIngestionRules,
}

/** The name of a client method. */
export type OperationMethod = keyof Operations

/** What an operation takes, by the name of its client method. */
export type OperationInput<M extends OperationMethod> =
  Operations[M] extends Operation<infer Input, infer _> ? Input : never

/** What an operation answers, by the name of its client method. */
export type OperationOutput<M extends OperationMethod> =
  Operations[M] extends Operation<infer _, infer Output> ? Output : never

export type { CreateAgentInput, CreateAgentOutput } from './create-agent.ts'
export type { CreateApplicationInput, CreateApplicationOutput } from './create-application.ts'
export type { DisableRuleInput, DisableRuleOutput } from './disable-rule.ts'
export type { ExportSessionInput, SessionExport } from './export-session.ts'
export type { GetApplicationsInput, GetApplicationsOutput } from './get-applications.ts'
export type { InvokeToolsInput, InvokeToolsOutput, ToolCall, ToolResult } from './invoke-tools.ts'
export type {
  IngestionRule,
  ListIngestionRulesInput,
  ListIngestionRulesOutput,
  RuleCondition,
} from './list-ingestion-rules.ts'
export type { ListToolsInput, ListToolsOutput, Tool } from './list-tools.ts'
export type { AnyOperation, Operation, RateLimit } from './operation.ts'
export type { PreviewDatasourceInput, PreviewDatasourceOutput } from './preview-datasource.ts'
export type {
  Alerting,
  LinkEventType,
  LinkSystem,
  Links,
  RumApplication,
  RumApplicationType,
  Tracing,
} from './rum-application.ts'
export type { SetPostMortemStatusInput, SetPostMortemStatusOutput } from './set-post-mortem-status.ts'
export type { Target } from './target.ts'
