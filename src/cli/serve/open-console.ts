import { openConsoleStore } from '../../console/store/index.ts'
import { openEmbeddedEngine } from '../../engine/embedded/index.ts'
import type { BackgroundWork } from '../../triggers/server/index.ts'
import {
  type ListeningConsole,
  listenConsole,
  openCodeSocket,
  type ResumeRun,
  readConsoleAuth,
  refuseReachable,
} from '../console/index.ts'
import { CommandError } from '../shared/command-error.ts'
import type { CommandContext } from '../shared/context.ts'
import type { EngineKind } from '../shared/engine/choose-engine.ts'
import { exitCodes } from '../shared/exit-codes.ts'
import { readListen } from '../shared/read-listen.ts'
import type { OpenEngineOptions } from './serve-engine.ts'

/** The console of `serve`: a listener of its own, and the socket that hands out its one-time addresses. */
export interface ServedConsole extends BackgroundWork {
  /** Once it listens. */
  readonly url: string | undefined
}

/** Prepares the console that `opsbook.yaml` asks for. Undefined: it asks for none. */
export function prepareConsole(
  context: CommandContext,
  kind: EngineKind,
  { configuration, dataDir, flags, log }: OpenEngineOptions,
  resume: ResumeRun,
): ServedConsole | undefined {
  const { console: wanted } = configuration.document
  if (wanted === undefined) return undefined
  const address = readListen(wanted.listen ?? '127.0.0.1:8688', '127.0.0.1:8688', 'console.listen')
  refuseReachable(address, wanted)
  refuseUnreadable(wanted['public-url'])
  let listening: ListeningConsole | undefined
  const ends: (() => unknown)[] = []
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).toReversed()) await end()
  }
  return {
    get url() {
      return listening?.url
    },
    start: () =>
      open().catch(async (error) => {
        await stop()
        throw error
      }),
    stop,
  }

  async function open(): Promise<void> {
    const engine =
      kind === 'embedded'
        ? openEmbeddedEngine(dataDir)
        : await (await import('../shared/engine/open-temporal.ts')).openTemporal(
            context,
            configuration,
            dataDir,
          )
    ends.push(() => engine.close())
    const { auth, warnings } = await readConsoleAuth(configuration, context)
    if (auth !== undefined) log.hide(auth.secret)
    for (const warning of warnings) log.warn(warning)
    const store = openConsoleStore(dataDir)
    ends.push(store.close)
    listening = await listenConsole({
      context,
      engine,
      flags: {
        ...(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir }),
        ...(flags.engine === undefined ? {} : { engine: flags.engine }),
      },
      address,
      flag: 'console.listen',
      store,
      resume,
      ...(auth === undefined ? {} : { auth }),
      ...(wanted?.['public-url'] === undefined ? {} : { publicUrl: wanted['public-url'] }),
      onDefect: (error) => log.failed({ id: 'console', error }),
    })
    const { issue, close } = listening
    ends.push(close)
    ends.push(await openCodeSocket(dataDir, issue))
  }
}

/** The pattern of the schema lets some invalid addresses pass, such as one with the port 99999. */
function refuseUnreadable(publicUrl: string | undefined): void {
  if (publicUrl === undefined || URL.canParse(publicUrl)) return
  throw new CommandError(exitCodes.usage, '"console.public-url" is an address that cannot be read', {
    hints: ['such as https://ops.example.com'],
  })
}
