/** `opsbook temporal setup`: the search attributes that runs are listed by. */

import { connectClient, registerSearchAttributes } from '../../engine/temporal/client/index.ts'
import { readConfiguration } from '../../project/configuration/index.ts'
import { readTemporalSettings } from '../../project/temporal/index.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { OutputFlags } from '../shared/options.ts'

/** Registers the search attributes of runs that are missing. */
export async function setUpTemporal(context: CommandContext, { output }: OutputFlags): Promise<ExitCode> {
  const settings = readTemporalSettings(await readConfiguration(context.io), context.io)
  const client = await connectClient(settings)
  try {
    const registered = await registerSearchAttributes({ client, taskQueue: settings.taskQueue })
    if (output === 'json')
      answerJson(context, { address: settings.address, namespace: settings.namespace, registered })
    else {
      const namespace = `"${settings.namespace}" at ${settings.address}`
      answer(
        context,
        registered.length === 0
          ? `${namespace} has all search attributes`
          : `${namespace}: registered ${registered.join(', ')}`,
      )
    }
    return exitCodes.succeeded
  } finally {
    await client.connection.close()
  }
}
