import { relative, resolve } from 'node:path'
import {
  type Action,
  type ActionContext,
  createRunSecrets,
  type HttpConnection,
  runWithSecrets,
} from '../../actions/index.ts'
import { safetyOf } from '../../core/action.ts'
import { isUnresolvedCreate, unknownOutcome } from '../../core/calls/index.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { SecretPosition } from '../../core/plan/index.ts'
import { errorData } from '../../core/run-error.ts'
import { shareLimitsIfPossible } from '../../project/clients/index.ts'
import { type Configuration, chooseDataDir } from '../../project/configuration/index.ts'
import {
  createSecretStore,
  findHttpConnection,
  notOfHttp,
  openHttpConnection,
} from '../../project/connections/index.ts'
import { CommandError } from '../../project/index.ts'
import { type CommandContext, printWarnings } from '../shared/context.ts'
import type { CallFlags } from './index.ts'
import type { AnsweredCall } from './write-call-answer.ts'

/** One request over HTTP, or one command. */
export interface SingleCall {
  readonly action: Action
  readonly input: JsonObject
  /** The file for the body of the answer, or for what the command writes. */
  readonly file: string | undefined
  readonly onWait: ActionContext['onWait']
}

/** Makes one attempt, without a run. What its secrets and its connection hold is masked in the outcome. */
export async function callWithoutRun(
  context: CommandContext,
  call: SingleCall,
  options: CallFlags,
  configuration: Configuration,
): Promise<AnsweredCall> {
  if (options.sandbox) {
    throw new CommandError('usage', `${call.action.name} would leave the sandbox: leave --sandbox out`)
  }
  if (call.action.overHttp === undefined && options.connection !== undefined) {
    throw new CommandError('usage', `${call.action.name} uses no connection: leave --connection out`)
  }
  const { io } = context
  const dataDir = chooseDataDir(undefined, configuration, io)
  const { limits, warnings } = await shareLimitsIfPossible(dataDir, options)
  printWarnings({ warnings }, context)
  const name = call.action.overHttp?.connection ?? options.connection
  try {
    if (name === undefined) return await callAlone(context, call, configuration, undefined)
    const document = findHttpConnection(name, configuration)
    if (document === undefined) throw notOfHttp(name, configuration)
    const opened = await openHttpConnection(name, document, configuration, io, limits?.budget)
    printWarnings(opened, context)
    try {
      return await callAlone(context, call, configuration, opened.connection)
    } finally {
      await opened.connection.close()
    }
  } finally {
    limits?.close()
  }
}

/** The same over an open connection. */
export async function callAlone(
  { io }: Pick<CommandContext, 'io'>,
  { action, input, file, onWait }: SingleCall,
  configuration: Configuration,
  connection: HttpConnection | undefined,
): Promise<AnsweredCall> {
  const stop = new AbortController()
  const forgetSignals = io.onStopSignal(() => stop.abort())
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
      signal: stop.signal,
      signalBeforeSending: stop.signal,
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
    forgetSignals()
  }
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
