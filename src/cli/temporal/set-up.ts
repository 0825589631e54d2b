/** `opsbook temporal setup`: what runs are listed by. */
import { registerSearchAttributes } from '../../engine/temporal/client/register-search-attributes.ts'
import { connectClient } from '../../engine/temporal/connection.ts'
import type { OutputFlags } from '../commands/options.ts'
import { readConfiguration } from '../configuration/index.ts'
import { answer, answerJson, type CommandContext } from '../context.ts'
import { readTemporalSettings } from '../engine/temporal-settings.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'

/** Registers the search attributes of runs, as far as they are not there. */
export async function setUpTemporal(context: CommandContext, { output }: OutputFlags): Promise<ExitCode> {
  const settings = readTemporalSettings(await readConfiguration(context.io), context.io)
  const client = await connectClient(settings)
  try {
    const registered = await registerSearchAttributes({ client, taskQueue: settings.taskQueue })
    if (output === 'json')
      answerJson(context, { address: settings.address, namespace: settings.namespace, registered })
    else {
      const place = `"${settings.namespace}" at ${settings.address}`
      answer(
        context,
        registered.length === 0 ? `${place} has everything` : `${place} has now ${registered.join(', ')}`,
      )
    }
    return exitCodes.succeeded
  } finally {
    await client.connection.close()
  }
}
