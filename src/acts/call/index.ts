/** One call of an action, without a run. */
import { relative, resolve } from 'node:path'
import {
  type Action,
  type ActionContext,
  createRunSecrets,
  type HttpConnection,
  runWithSecrets,
} from '../../actions/index.ts'
import { type ActionDescription, safetyOf } from '../../core/action.ts'
import { isUnresolvedCreate, unknownOutcome } from '../../core/calls/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { SecretPosition } from '../../core/plan/index.ts'
import { type ErrorData, errorData } from '../../core/run-error.ts'
import type { Configuration } from '../../project/configuration/index.ts'
import { createSecretStore } from '../../project/connections/index.ts'
import type { ProjectContext } from '../../project/index.ts'

/** One request over HTTP, or one command. */
export interface SingleCall {
  readonly action: Action
  readonly input: JsonObject
  /** The file for the body of the answer, or for what the command writes. */
  readonly file: string | undefined
  readonly onWait: ActionContext['onWait']
}

/** The result of a call: its outputs or its error. */
export interface AnsweredCall {
  readonly outputs?: JsonValue
  readonly error?: ErrorData
  readonly requestIds: readonly string[]
  readonly warnings: readonly string[]
}

/** Makes one attempt, without a run, over an open connection. What its secrets and its connection hold is masked in the outcome. */
export async function callAlone(
  { io }: Pick<ProjectContext, 'io'>,
  { action, input, file, onWait }: SingleCall,
  configuration: Configuration,
  connection: HttpConnection | undefined,
): Promise<AnsweredCall> {
  const stop = new AbortController()
  const forgetSignals = io.onStopSignal?.(() => stop.abort())
  const positions = secretPositions(action, input)
  const secrets = createRunSecrets(
    createSecretStore(configuration, io),
    positions.map(({ name }) => name),
  )
  for (const secret of connection?.secrets ?? []) secrets.mask.hide(secret)
  const folder = io.workingDirectory
  try {
    const answered = await runWithSecrets(action, input, positions, secrets, {
      connect: () => Promise.reject(new Error('the call needs no client of the service')),
      connectHttp: connection && (async () => connection),
      hide: secrets.mask.hide,
      artifacts: { folder, fileFor: async (name) => resolve(folder, name) },
      ...signalsOf(action, input, stop.signal),
      beforeSending: async () => {},
      attempt: 1,
      saveAs: file === undefined ? undefined : relative(folder, file),
      onWait,
      onWaitOver() {},
      log() {},
      mask: secrets.mask,
    })
    const { output, requestId, warnings = [] } = answered
    return { outputs: output, requestIds: requestId === undefined ? [] : [requestId], warnings }
  } catch (thrown) {
    const failure = errorData(thrown)
    if (failure.code === 'InternalDefect') throw thrown
    const isUnknown = isUnresolvedCreate({ safety: safetyOf(action, input) }, failure)
    const error = isUnknown ? unknownOutcome(action.name, failure, [failure]) : failure
    return { error, requestIds: error.requestId === undefined ? [] : [error.requestId], warnings: [] }
  } finally {
    forgetSignals?.()
  }
}

/** What a stop ends: a read at once, and a write as long as it is not sent. */
export function signalsOf(
  action: ActionDescription,
  input: JsonObject,
  stop: AbortSignal,
): Pick<ActionContext, 'signal' | 'signalBeforeSending'> {
  const isRead = safetyOf(action, input) === 'read'
  return { signal: isRead ? stop : new AbortController().signal, signalBeforeSending: stop }
}

/** Where the arguments name secrets. */
function secretPositions(
  { secretNames = [], optionalSecretNames = [] }: Action,
  input: JsonObject,
): readonly SecretPosition[] {
  return [...secretNames, ...optionalSecretNames].flatMap((pattern) => namesAt(input, pattern.split('.'), []))
}

function namesAt(
  value: unknown,
  [first, ...rest]: readonly string[],
  path: readonly string[],
): readonly SecretPosition[] {
  if (first === undefined) return typeof value === 'string' ? [{ path, name: value }] : []
  if (!isJsonObject(value)) return []
  return Object.keys(value)
    .filter((key) => first === '*' || first === key)
    .flatMap((key) => namesAt(value[key], rest, [...path, key]))
}
