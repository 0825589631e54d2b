/** What `uses` can name: one record for each action. */

import { type OperationMethod, operations } from '../api/operations/index.ts'
import { invalidInput } from '../api/validation/index.ts'
import { builtinActions } from '../core/builtins/index.ts'
import type { Action } from './action.ts'
import { createCommandAction } from './command/command.ts'
import type { CommandRules } from './command/command-rules.ts'
import type { HttpRules } from './http/address-rules.ts'
import { createHttpAction } from './http/http.ts'
import type { ApiActions, ApiOptions } from './openapi/create-api-actions.ts'
import { operationAction } from './operation-action.ts'
import { writeAction } from './write.ts'

export type { Action, ActionAnswer, ActionContext, ActionLog, Artifacts, LogLine } from './action.ts'
export { type CommandRules, commandRulesText } from './command/command-rules.ts'
export { defineAction } from './custom/define-action.ts'
export type { ActionDefinition, ActionRunContext, InputSchema } from './custom/definition.ts'
export { givenOutputProblems } from './given-outputs.ts'
export { createAddressRules, type HttpRules, isNetwork, rulesText } from './http/address-rules.ts'
export type { LoginOptions } from './http/connection/create-login.ts'
export {
  baseUrlProblem,
  createHttpConnection,
  type HttpConnection,
  type HttpConnectionOptions,
  isHttpConnection,
  secretsOfAddress,
} from './http/connection/http-connection.ts'
export { mostKeptBody } from './http/read-answer.ts'
export { insideSandbox, refuseOutside } from './inside-sandbox.ts'
export type { OperationChoice } from './openapi/read-operations.ts'
export { createRunSecrets, createSecretsOfRuns, type RunSecrets, runWithSecrets } from './run-secrets.ts'
export { missingSecret, noSecrets, requireSecrets, resolveSecret, type SecretStore } from './secret-store.ts'

/** What actions are made with. */
export interface ActionsOptions {
  /**
   * Where `core/http` may send requests.
   * @default anywhere
   */
  readonly http?: HttpRules
  /**
   * Where `core/command` may run commands.
   * @default nowhere
   */
  readonly commands?: CommandRules
}

/** Makes actions of the operations of an OpenAPI document. What reads documents is loaded with the first one. */
export async function createApiActions(options: ApiOptions): Promise<ApiActions> {
  const loaded = await import('./openapi/create-api-actions.ts')
  return loaded.buildApiActions(options)
}

/** Every action there is, and those of a project. Throws `InvalidInput` where two have one name. */
export function createActions(
  own: readonly Action[] = [],
  { http, commands }: ActionsOptions = {},
): readonly Action[] {
  const methods = Object.keys(operations) as OperationMethod[]
  const all = [
    ...methods.map(operationAction),
    createHttpAction(http),
    createCommandAction(commands),
    writeAction,
    ...own,
  ]
  const names = [...builtinActions, ...all].map(({ name }) => name)
  const twice = names.filter((name, index) => names.indexOf(name) !== index)
  if (twice.length === 0) return all
  throw invalidInput(
    'createActions',
    twice.map((path) => ({ path, message: 'is the name of two actions' })),
  )
}
export { writeArtifact } from './write.ts'
