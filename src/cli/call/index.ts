/** `opsbook call`: one action, without a runbook. */

import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Action } from '../../actions/index.ts'
import { type AnsweredCall, signalsOf } from '../../acts/call/index.ts'
import type { CallWait, Client } from '../../api/index.ts'
import { type OperationMethod, operations } from '../../api/operations/index.ts'
import { type ActionDescription, safetyOf } from '../../core/action.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { createMask } from '../../core/mask/index.ts'
import { errorData } from '../../core/run-error.ts'
import { loadActions, loadDescriptions } from '../../project/actions/index.ts'
import { openClient, resolveConnection, shareLimitsIfPossible } from '../../project/clients/index.ts'
import { chooseDataDir, readConfiguration } from '../../project/configuration/index.ts'
import type { ServiceChoice } from '../../project/connections/index.ts'
import { CommandError } from '../../project/index.ts'
import { isWaiting } from '../../view/run/index.ts'
import { findAction } from '../actions/index.ts'
import { waitText } from '../run/follow/event-text.ts'
import { type CommandContext, printWarnings, tell } from '../shared/context.ts'
import type { ExitCode } from '../shared/exit-codes.ts'
import type { Io } from '../shared/io.ts'
import { chooseLogLevel, createLogger } from '../shared/logger.ts'
import type { OutputFlags } from '../shared/options.ts'
import { type InputSources, readInputs } from '../shared/read-inputs.ts'
import { handleStopSignals } from '../shared/stop-signals.ts'
import { writeCallAnswer } from './write-call-answer.ts'

/** The flags of `call`, as the parser hands them over. */
export interface CallFlags extends InputSources, ServiceChoice, OutputFlags {
  readonly saveAs?: string
  readonly reveal?: boolean
}

/** Calls one action. Returns `failed` when the call or any of its items failed. */
export async function call(context: CommandContext, name: string, options: CallFlags): Promise<ExitCode> {
  const found = findAction(name, await loadDescriptions(context.io))
  const method = isAttempt(found) ? undefined : methodOf(found)
  const action = findAction(name, await loadActions(context.io))
  const input = await readInputs(options, action.input, context.io)
  const file = await checkCall(action, input, options, context.io)
  const configuration = await readConfiguration(context.io)
  handleStopSignals(context.io, {
    onStop() {
      if (safetyOf(action, input) !== 'read') tell(context, awaiting)
    },
    onLeave: () => tell(context, 'stopped without waiting'),
  })
  if (method === undefined) {
    const { callWithoutRun } = await import('./call-without-run.ts')
    const request = { action, input, file, onWait: createWaitReport(context) }
    const outcome = await callWithoutRun(context, request, options, configuration)
    return writeCallAnswer(context, action, outcome, options, [])
  }
  const { connection, close } = await resolveConnection(options, configuration, context)
  try {
    printWarnings(connection, context)
    const mask = createMask([connection.appKey])
    const logger = await createLogger(chooseLogLevel(context, 'silent'), context.io, mask)
    const dataDir = chooseDataDir(undefined, configuration, context.io)
    const { limits, warnings } = await shareLimitsIfPossible(dataDir, options)
    printWarnings({ warnings }, context)
    const client = openClient(connection, options.sandbox === true, logger, limits)
    try {
      const outcome = await makeCall(client, { method, action, input, file, context })
      return writeCallAnswer(context, action, outcome, options, [connection.appKey])
    } finally {
      await client.close()
      limits?.close()
    }
  } finally {
    await close()
  }
}

const awaiting =
  'a write in flight is awaited; Ctrl-C again exits immediately, and leaves its outcome unknown'

/** Whether one attempt of the action works without a run, and without a client of the service. */
function isAttempt({ name, overHttp }: ActionDescription): boolean {
  return overHttp !== undefined || name === 'core/command'
}

/** The client's method for an action of the service. */
function methodOf({ name }: ActionDescription): OperationMethod {
  const methods = Object.keys(operations) as OperationMethod[]
  const method = methods.find((candidate) => operations[candidate].name === name)
  if (method) return method
  throw new CommandError('usage', `${name} works only inside a run`, {
    hints: ['use it in a step of a runbook: opsbook run'],
  })
}

/** One call to make. */
export interface CallArguments {
  readonly method: OperationMethod
  readonly action: ActionDescription
  readonly input: JsonObject
  /** The file to write an export to. */
  readonly file: string | undefined
  readonly context: CommandContext
}

/** Shorter waits are not reported. */
const shortestWaitMs = 1000

/** Tells of waits that are not short. */
function createWaitReport(context: CommandContext): (wait: CallWait) => void {
  return ({ reason, untilMs: until }) => {
    const now = Date.now()
    const wait = { reason, ...(until === undefined ? {} : { until }) }
    if (isWaiting(wait, now + shortestWaitMs)) tell(context, context.errorPaint.dim(waitText(wait, now)))
  }
}

/** Makes the call, reports waits of more than a second, and stops on a signal. Errors of the service are returned. */
async function makeCall(
  client: Client,
  { method, action, input, file, context }: CallArguments,
): Promise<AnsweredCall> {
  const stop = new AbortController()
  const forgetSignals = context.io.onStopSignal(() => stop.abort())
  const onWait = createWaitReport(context)
  try {
    // The input was checked against the schema of this method; the client checks it again.
    const perform = client[method] as unknown as (
      input: JsonObject,
      options: object,
    ) => Promise<{ data: JsonValue; requestIds: readonly string[]; warnings: readonly string[] }>
    const options = {
      ...signalsOf(action, input, stop.signal),
      onWait,
      ...(file === undefined ? {} : { file }),
    }
    const { data, requestIds, warnings } = await perform(input, options)
    return { outputs: data, requestIds, warnings }
  } catch (thrown) {
    const error = errorData(thrown)
    if (error.code === 'InternalDefect') throw thrown
    return { error, requestIds: error.requestId === undefined ? [] : [error.requestId], warnings: [] }
  } finally {
    forgetSignals()
  }
}

/** Checks everything that can be checked before a connection is opened. Returns the file to write. */
async function checkCall(
  action: Action,
  input: JsonObject,
  options: CallFlags,
  io: Io,
): Promise<string | undefined> {
  refuseSecrets(action, options.input ?? [])
  const problems = action.checkInput(input)
  if (problems.length > 0) {
    throw new CommandError('usage', `the arguments do not fit ${action.name}; nothing was sent`, {
      code: 'InvalidInput',
      hints: [
        ...problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)),
        `"opsbook actions ${action.name}" shows what it takes`,
      ],
    })
  }
  return checkFile(action, options.saveAs, io)
}

/** Secret arguments would be visible in the process list. */
function refuseSecrets({ sensitiveInput = [] }: Action, flags: readonly string[]): void {
  const secret = sensitiveInput
    .map((field) => field.split('.')[0])
    .find((field) => flags.some((flag) => flag.startsWith(`${field}=`)))
  if (secret === undefined) return
  throw new CommandError(
    'usage',
    `"${secret}" holds secrets: every user of this machine could read it on the command line`,
    {
      hints: [
        'put the arguments into a file and name it with --inputs-file, or pipe them in with --inputs-file -',
      ],
    },
  )
}

async function checkFile(
  { name, savesFile }: Action,
  saveAs: string | undefined,
  { workingDirectory }: Io,
): Promise<string | undefined> {
  if (savesFile === 'itself' && saveAs === undefined) return undefined
  if (savesFile !== 'always' && savesFile !== 'itself') {
    if (saveAs === undefined) return undefined
    throw new CommandError('usage', `${name} writes no file: leave --save-as out`)
  }
  if (saveAs === undefined || saveAs === '') {
    throw new CommandError('usage', `${name} writes a file: name it with --save-as`, {
      hints: ['such as --save-as session.ndjson'],
    })
  }
  const file = resolve(workingDirectory, saveAs)
  const folder = dirname(file)
  await access(folder, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'there is no such folder' : 'no permission to write there'
    throw new CommandError('environment', `${folder} cannot be written to: ${reason}`)
  })
  return file
}
