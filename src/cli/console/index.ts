/** `opsbook console`: a view of runs for browsers. */
import { createConsole, type Login } from '../../console/server/index.ts'
import { openEmbeddedEngine } from '../../engine/embedded/index.ts'
import type { Engine } from '../../engine/index.ts'
import { systemIdentity } from '../../engine/record/index.ts'
import { CommandError } from '../shared/command-error.ts'
import { chooseDataDir } from '../shared/configuration/data-dir.ts'
import { type Configuration, readConfiguration } from '../shared/configuration/read-configuration.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import { chooseEngine } from '../shared/engine/choose-engine.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { EngineFlags, OutputFlags } from '../shared/options.ts'
import { cannotListen, isLoopback, listenUrl, readListen } from '../shared/read-listen.ts'
import { untilStopped } from '../shared/stop-signals.ts'
import { problemOf } from './problem-of.ts'
import { createReads } from './reads.ts'

/** The flags of `console`, as the parser hands them over. */
export interface ConsoleFlags extends EngineFlags, OutputFlags {
  readonly readOnly?: boolean
  readonly listen: string
}

/** Serves the console until SIGINT or SIGTERM. */
export async function openConsole(context: CommandContext, flags: ConsoleFlags): Promise<ExitCode> {
  const address = readListen(flags.listen, '127.0.0.1:8688')
  if (!isLoopback(address.host))
    throw new CommandError(
      exitCodes.usage,
      `a console at ${address.host} could be reached by other machines`,
      {
        hints: ['listen on 127.0.0.1; for others, use "console" in opsbook.yaml with auth and public-url'],
      },
    )
  const configuration = await readConfiguration(context.io)
  const engine = await openEngine(context, flags, configuration)
  try {
    const stopped = untilStopped(context.io, () => {})
    const { app, issueCode } = createConsole({
      reads: createReads({ context, engine, flags }),
      problemOf,
      about: { version: context.version, engine: engine.kind, location: engine.location },
      isReadOnly: flags.readOnly === true,
      onDefect: (error) =>
        context.io.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`),
    })
    try {
      await app.listen(address)
    } catch (cause) {
      throw cannotListen('--listen', address, cause as NodeJS.ErrnoException)
    }
    try {
      const [bound] = app.addresses()
      const url = listenUrl({ ...address, port: typeof bound === 'object' ? bound.port : address.port })
      const here: Login = {
        by: { ...systemIdentity(), source: 'console', verified: true },
        roles: ['viewer'],
      }
      const login = `${url}/login?code=${issueCode(here)}`
      if (flags.output === 'json') answerJson(context, { url, login })
      else
        answer(context, [
          `console of ${engine.location}`,
          `  ${login}`,
          '  opens one session, within 60 seconds; Ctrl-C stops the console',
        ])
      await stopped
    } finally {
      await app.close()
    }
  } finally {
    await engine.close()
  }
  return exitCodes.succeeded
}

async function openEngine(
  context: CommandContext,
  flags: EngineFlags,
  configuration: Configuration,
): Promise<Engine> {
  const dataDir = chooseDataDir(flags.dataDir, configuration, context.io)
  if (chooseEngine(flags.engine, configuration, context.io) === 'embedded') return openEmbeddedEngine(dataDir)
  return (await import('../shared/engine/open-temporal.ts')).openTemporal(context, configuration, dataDir)
}
