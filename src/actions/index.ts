/** What `uses` can name: one record for each action. */
import { type OperationMethod, operations } from '../api/operations/index.ts'
import type { Action } from './action.ts'
import { operationAction } from './operation-action.ts'
import { writeAction } from './write.ts'

export type { Action } from './action.ts'

/** Every action there is. */
export function createActions(): readonly Action[] {
  const methods = Object.keys(operations) as OperationMethod[]
  return [...methods.map(operationAction), writeAction]
}
