/** What `uses` can name: one record for each action. */
import { invalidInput } from '../api/check-input.ts'
import { type OperationMethod, operations } from '../api/operations/index.ts'
import { coreActions } from '../core/core-actions.ts'
import type { Action } from './action.ts'
import { createHttpAction } from './http.ts'
import { operationAction } from './operation-action.ts'
import { writeAction } from './write.ts'

export type { Action, ActionAnswer, ActionContext, ActionLog, Artifacts } from './action.ts'
export { defineAction } from './define-action.ts'
export type { ActionDefinition, ActionRunContext, InputSchema } from './own/definition.ts'
export { createRunSecrets, createSecretsOfRuns, type RunSecrets } from './run-secrets.ts'
export { runWithSecrets } from './run-with-secrets.ts'
export { missingSecret, noSecrets, requireSecrets, resolveSecret, type SecretStore } from './secret-store.ts'

/** Every action there is, and those of a project. Throws `InvalidInput` where two have one name. */
export function createActions(own: readonly Action[] = []): readonly Action[] {
  const methods = Object.keys(operations) as OperationMethod[]
  const all = [...methods.map(operationAction), createHttpAction(), writeAction, ...own]
  const names = [...coreActions, ...all].map(({ name }) => name)
  const twice = names.filter((name, index) => names.indexOf(name) !== index)
  if (twice.length === 0) return all
  throw invalidInput(
    'createActions',
    twice.map((path) => ({ path, message: 'is the name of two actions' })),
  )
}
