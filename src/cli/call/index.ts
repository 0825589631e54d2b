/** `opsbook call`: one action, without a runbook. */
import { type OperationMethod, operations } from '../../api/operations/index.ts'
import type { ActionDescription } from '../../core/action.ts'
import { createMask } from '../../core/mask/mask.ts'
import { findAction } from '../actions/index.ts'
import { CommandError } from '../command-error.ts'
import type { CallOptions } from '../commands/call.ts'
import { chooseDataDir, readConfiguration } from '../configuration/index.ts'
import type { CommandContext } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { readInputs } from '../inputs/read-inputs.ts'
import { loadActions, loadDescriptions } from '../load-actions.ts'
import { chooseLogLevel } from '../log-level.ts'
import { createLogger } from '../logger.ts'
import { openClient, resolveConnection, tellWarnings } from '../open-service.ts'
import { shareLimitsIfPossible } from '../share-limits.ts'
import { checkCall } from './check-call.ts'
import { makeCall } from './make-call.ts'
import { writeCallAnswer } from './write-call-answer.ts'

/** Calls one action. Answers `failed` when the call, or any item of it, failed. */
export async function call(context: CommandContext, name: string, options: CallOptions): Promise<ExitCode> {
  const method = methodOf(findAction(name, await loadDescriptions(context.io)))
  const action = findAction(name, await loadActions(context.io))
  const input = await readInputs(options, action.input, context.io)
  const file = await checkCall(action, input, options, context.io)
  const configuration = await readConfiguration(context.io)
  const { connection, close } = await resolveConnection(options, configuration, context)
  try {
    tellWarnings(connection, context)
    const mask = createMask([connection.appKey])
    const logger = await createLogger(chooseLogLevel(context, 'silent'), context.io, mask)
    const dataDir = chooseDataDir(undefined, configuration, context.io)
    const { limits, warnings } = await shareLimitsIfPossible(dataDir, options)
    tellWarnings({ warnings }, context)
    const client = openClient(connection, options.sandbox === true, logger, limits)
    try {
      const outcome = await makeCall(client, { method, input, file, context })
      return writeCallAnswer(context, action, outcome, options, connection.appKey)
    } finally {
      await client.close()
      limits?.close()
    }
  } finally {
    await close()
  }
}

/** The client's method for an action of the service. */
function methodOf({ name }: ActionDescription): OperationMethod {
  const methods = Object.keys(operations) as OperationMethod[]
  const method = methods.find((candidate) => operations[candidate].name === name)
  if (method) return method
  throw new CommandError(exitCodes.usage, `${name} works only inside a run`, {
    hints: ['use it in a step of a runbook: opsbook run'],
  })
}
