/** `opsbook console`: a view of runs for browsers. */

import type { Engine } from '../../engine/index.ts'
import { type Configuration, chooseDataDir, readConfiguration } from '../../project/configuration/index.ts'
import { chooseEngine, openEngine } from '../../project/engine/index.ts'
import { CommandError, type EngineFlags, usualAddresses } from '../../project/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { answer, answerJson, type CommandContext, tell } from '../shared/context.ts'
import type { OutputFlags } from '../shared/options.ts'
import { readListen } from '../shared/read-listen.ts'
import { untilStopped } from '../shared/stop-signals.ts'
import { type OneTimeAddress, requestAddress } from './code-socket.ts'
import { refuseReachable } from './console-address.ts'
import { listenConsole } from './listen.ts'

export { openCodeSocket } from './code-socket.ts'
export { readConsoleAddress } from './console-address.ts'
export { type ListeningConsole, listenConsole } from './listen.ts'
export { readConsoleAuth } from './read-auth.ts'

/** The flags of `console`, as the parser hands them over. */
export interface ConsoleFlags extends EngineFlags, OutputFlags {
  readonly readOnly?: boolean
  readonly listen?: string
}

/** Prints a one-time address of the console of `serve`; with `--read-only` serves one until a stop signal. */
export async function openConsole(context: CommandContext, flags: ConsoleFlags): Promise<void> {
  if (flags.listen !== undefined && flags.readOnly !== true)
    throw new CommandError('usage', '--listen needs --read-only', {
      hints: ['where the console of "opsbook serve" listens is "console.listen" in opsbook.yaml'],
    })
  const configuration = await readConfiguration(context.io)
  const dataDir = chooseDataDir(flags.dataDir, configuration, context.io)
  if (flags.readOnly !== true) {
    const address = await requestAddress(dataDir)
    if (address === undefined)
      throw noConsole(dataDir, chooseEngine(flags.engine, configuration, context.io), configuration)
    return printAddress(context, flags, dataDir, address)
  }
  const address = readListen(flags.listen ?? usualAddresses.console, usualAddresses.console)
  refuseReachable(address)
  const kind = chooseEngine(flags.engine, configuration, context.io)
  const engine = await openEngine(context, { kind, dataDir, configuration })
  try {
    if (!engine.hasRuns()) tell(context, `there are no runs in ${printableLine(engine.location)} yet`)
    // A database that cannot be read is refused here: the pages could only show that nothing can be read.
    else await engine.listRuns({ limit: 1 })
    const stopped = untilStopped(context.io, () => {})
    const listening = await listenConsole({
      context,
      engine,
      flags,
      address,
      flag: '--listen',
      onDefect: (error) =>
        context.io.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`),
    })
    try {
      printAddress(context, flags, engine.location, listening.issue())
      await stopped
    } finally {
      await listening.close()
    }
  } finally {
    await engine.close()
  }
}

function printAddress(
  context: CommandContext,
  flags: OutputFlags & Pick<ConsoleFlags, 'readOnly'>,
  location: string,
  address: OneTimeAddress,
): void {
  if (flags.output === 'json') {
    answerJson(context, address)
    return
  }
  const stop = flags.readOnly === true ? '; Ctrl-C stops the console' : ''
  answer(context, [
    `console of ${location}`,
    ...(address.login === undefined
      ? [`  ${address.url}`, '  its proxy logs people in']
      : [`  ${address.login}`, `  opens one session, within 60 seconds${stop}`]),
  ])
}

function noConsole(dataDir: string, engine: Engine['kind'], { document }: Configuration): CommandError {
  const serve = engine === 'temporal' ? '"opsbook serve --engine temporal"' : '"opsbook serve"'
  return new CommandError('environment', `no "opsbook serve" with a console uses ${dataDir}`, {
    hints: [
      '"opsbook console --read-only" needs no serve',
      document.console === undefined
        ? `with "console: {}" in opsbook.yaml, ${serve} opens a console`
        : `opsbook.yaml asks for a console: start ${serve}, or name the data directory of the one that runs with --data-dir`,
    ],
  })
}
