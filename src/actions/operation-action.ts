import { relative } from 'node:path'
import { type AnyOperation, checkInput } from '../api/check-input.ts'
import type { ExportSessionInput, OperationInput, OperationMethod } from '../api/operations/index.ts'
import { operations } from '../api/operations/index.ts'
import type { JsonObject, JsonValue } from '../core/json.ts'
import { RunbookError } from '../core/run-error.ts'
import type { Action, ActionAnswer, ActionContext } from './action.ts'

/** An operation of the service as an action. */
export function operationAction(method: OperationMethod): Action {
  const operation: AnyOperation = operations[method]
  const { check, ...description } = operation
  return {
    ...description,
    ...(check === undefined ? {} : { check }),
    checkInput: (input) => checkInput(operation, input).problems,
    run: (input, context) =>
      method === 'exportSession' ? exportFile(input, context) : attempt(method, input, context),
  }
}

async function attempt(
  method: OperationMethod,
  input: JsonObject,
  context: ActionContext,
): Promise<ActionAnswer> {
  // The client checks the input against the schema of the method before it sends anything.
  const typed = input as unknown as OperationInput<typeof method>
  const { data, requestId, warnings } = await context.client.attempt(method, typed, callOptions(context))
  return { output: data as JsonValue, warnings, ...(requestId === undefined ? {} : { requestId }) }
}

async function exportFile(input: JsonObject, context: ActionContext): Promise<ActionAnswer> {
  if (context.saveAs === undefined) {
    throw new RunbookError('InvalidInput', 'an export needs save-as: the file to write', { notSent: true })
  }
  const file = await context.artifacts.fileFor(context.saveAs)
  const typed = input as unknown as ExportSessionInput
  const { data, requestId, warnings } = await context.client.exportSession(typed, {
    ...callOptions(context),
    file,
  })
  const output = { ...data, path: relative(context.artifacts.folder, data.path) } as unknown as JsonObject
  return { output, warnings, ...(requestId === undefined ? {} : { requestId }) }
}

function callOptions({
  signal,
  timeoutMs,
  onWait,
}: ActionContext): Pick<ActionContext, 'signal' | 'timeoutMs' | 'onWait'> {
  return { signal, onWait, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
}
