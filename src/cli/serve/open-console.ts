import type { ServedActs } from '../../console/server/index.ts'
import { openConsoleStore } from '../../console/store/index.ts'
import { type EngineKind, openEngine } from '../../project/engine/index.ts'
import type { BackgroundWork } from '../../triggers/server/index.ts'
import {
  type ListeningConsole,
  listenConsole,
  openCodeSocket,
  readConsoleAddress,
  readConsoleAuth,
} from '../console/index.ts'
import type { CommandContext } from '../shared/context.ts'
import type { OpenEngineOptions } from './serve-engine.ts'

/** The console of `serve`: a listener of its own, and the socket that hands out its one-time addresses. */
export interface ServedConsole extends BackgroundWork {
  /** Once it listens: its address, and who lets people in there. */
  readonly at: Pick<ListeningConsole, 'url' | 'wayIn'> | undefined
}

/** Prepares the console that `opsbook.yaml` asks for. Undefined: it asks for none. */
export function prepareConsole(
  context: CommandContext,
  kind: EngineKind,
  { configuration, dataDir, flags, log }: OpenEngineOptions,
  served: ServedActs,
): ServedConsole | undefined {
  const { console: wanted } = configuration.document
  if (wanted === undefined) return undefined
  const address = readConsoleAddress(wanted, dataDir)
  let listening: ListeningConsole | undefined
  const ends: (() => unknown)[] = []
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).toReversed()) await end()
  }
  return {
    get at() {
      return listening
    },
    start: () =>
      open().catch(async (error) => {
        await stop()
        throw error
      }),
    stop,
  }

  async function open(): Promise<void> {
    const engine = await openEngine(context, { kind, dataDir, configuration })
    ends.push(() => engine.close())
    const { auth, warnings } = await readConsoleAuth(configuration, context)
    if (auth?.secret !== undefined) log.hide(auth.secret)
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
      served,
      ...(auth === undefined ? {} : { auth }),
      ...(wanted?.['public-url'] === undefined ? {} : { publicUrl: wanted['public-url'] }),
      onDefect: (error) => log.failed({ id: 'console', error }),
    })
    const { issue, close } = listening
    ends.push(close)
    ends.push(await openCodeSocket(dataDir, issue))
  }
}
