/** `opsbook temporal setup`: the search attributes that runs are listed by. */

import { registerSearchAttributes } from '../../engine/temporal/client/index.ts'
import { readConfiguration } from '../../project/configuration/index.ts'
import { withTemporalClient } from '../../project/temporal/index.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { OutputFlags } from '../shared/options.ts'

/** Registers the search attributes of runs that are missing. */
export async function setUpTemporal(context: CommandContext, { output }: OutputFlags): Promise<ExitCode> {
  const configuration = await readConfiguration(context.io)
  return withTemporalClient(context, configuration, async (ports, { address, namespace }) => {
    const registered = await registerSearchAttributes(ports)
    const place = `"${namespace}" at ${address}`
    if (output === 'json') answerJson(context, { address, namespace, registered })
    else if (registered.length === 0) answer(context, `${place} has all search attributes`)
    else answer(context, `${place}: registered ${registered.join(', ')}`)
    return exitCodes.succeeded
  })
}
