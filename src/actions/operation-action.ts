import { relative } from 'node:path'
import type { AttemptOptions } from '../api/index.ts'
import { type AnyOperation, type OperationMethod, operations } from '../api/operations/index.ts'
import { checkInput } from '../api/validation/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
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
    run: (input, context) => attempt(method, input, context),
  }
}

async function attempt(
  method: OperationMethod,
  input: JsonObject,
  context: ActionContext,
): Promise<ActionAnswer> {
  const { connect, artifacts, timeoutMs, onWait, onWaitOver, saveAs } = context
  const file = saveAs === undefined ? undefined : await artifacts.fileFor(saveAs)
  const client = await connect()
  const { signal, signalBeforeSending } = signalsOf(method, context)
  const { data, requestId, warnings } = await client.attempt(method, input, {
    signal,
    signalBeforeSending,
    attempt: context.attempt,
    beforeSending: operations[method].safety === 'create' ? context.beforeSending : undefined,
    onWait,
    onWaitOver,
    timeoutMs,
    file,
  })
  return {
    output: file === undefined ? (data as JsonValue) : withRelativePath(data as JsonValue, artifacts.folder),
    warnings,
    requestId,
  }
}

/** As few as there can be: two that are watched together cost more than the rest of an attempt. */
function signalsOf(
  method: OperationMethod,
  { signal, signalBeforeSending }: ActionContext,
): Pick<AttemptOptions, 'signal' | 'signalBeforeSending'> {
  if (signal === signalBeforeSending) return { signal }
  return operations[method].safety === 'read' ? { signal, signalBeforeSending } : { signalBeforeSending }
}

/** Outputs name files relative to the artifacts of the run, so that these can be moved. */
function withRelativePath(output: JsonValue, folder: string): JsonValue {
  if (!isJsonObject(output) || typeof output['path'] !== 'string')
    throw new RunbookError('InternalDefect', 'an export answered without the path of its file')
  return { ...output, path: relative(folder, output['path']) }
}
