/** What `uses` can name: one record for each action. */
import { invalidInput } from '../api/check-input.ts'
import { type OperationMethod, operations } from '../api/operations/index.ts'
import { coreActions } from '../core/core-actions.ts'
import type { Action } from './action.ts'
import type { HttpRules } from './http/address-rules.ts'
import { createHttpAction } from './http.ts'
import { operationAction } from './operation-action.ts'
import { writeAction } from './write.ts'

export type { Action, ActionAnswer, ActionContext, ActionLog, Artifacts } from './action.ts'
export { defineAction } from './define-action.ts'
export { createAddressRules, type HttpRules, isNetwork, rulesText } from './http/address-rules.ts'
export { insideSandbox, refuseOutside } from './inside-sandbox.ts'
export type { ActionDefinition, ActionRunContext, InputSchema } from './own/definition.ts'
export { createRunSecrets, createSecretsOfRuns, type RunSecrets } from './run-secrets.ts'
export { runWithSecrets } from './run-with-secrets.ts'
export { missingSecret, noSecrets, requireSecrets, resolveSecret, type SecretStore } from './secret-store.ts'

/** What actions are made with. */
export interface ActionsOptions {
  /**
   * Where `core/http` may send requests.
   * @default anywhere
   */
  readonly http?: HttpRules
}

/** Every action there is, and those of a project. Throws `InvalidInput` where two have one name. */
export function createActions(own: readonly Action[] = [], { http }: ActionsOptions = {}): readonly Action[] {
  const methods = Object.keys(operations) as OperationMethod[]
  const all = [...methods.map(operationAction), createHttpAction(http), writeAction, ...own]
  const names = [...coreActions, ...all].map(({ name }) => name)
  const twice = names.filter((name, index) => names.indexOf(name) !== index)
  if (twice.length === 0) return all
  throw invalidInput(
    'createActions',
    twice.map((path) => ({ path, message: 'is the name of two actions' })),
  )
}
