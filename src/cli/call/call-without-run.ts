import { type AnsweredCall, callAlone, type SingleCall } from '../../acts/call/index.ts'
import { shareLimitsIfPossible } from '../../project/clients/index.ts'
import { type Configuration, chooseDataDir } from '../../project/configuration/index.ts'
import { findHttpConnection, notOfHttp, openHttpConnection } from '../../project/connections/index.ts'
import { CommandError } from '../../project/index.ts'
import { type CommandContext, printWarnings } from '../shared/context.ts'
import type { CallFlags } from './index.ts'

/** Makes one attempt, without a run, over the connection that it needs. */
export async function callWithoutRun(
  context: CommandContext,
  call: SingleCall,
  options: CallFlags,
  configuration: Configuration,
): Promise<AnsweredCall> {
  if (options.sandbox)
    throw new CommandError('usage', `${call.action.name} would leave the sandbox: leave --sandbox out`)
  if (call.action.overHttp === undefined && options.connection !== undefined)
    throw new CommandError('usage', `${call.action.name} uses no connection: leave --connection out`)
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
