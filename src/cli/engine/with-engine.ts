// Not through the doors of these rooms, which would bring the client along.
import { openEmbeddedEngine } from '../../engine/embedded/embedded-engine.ts'
import type { Engine } from '../../engine/engine.ts'
import { CommandError } from '../command-error.ts'
import type { EngineFlags } from '../commands/options.ts'
import { chooseDataDir } from '../configuration/data-dir.ts'
import { readConfiguration } from '../configuration/read-configuration.ts'
import type { CommandContext } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { printableLine } from '../terminal/printable.ts'
import { chooseEngine } from './choose-engine.ts'

/** Opens the chosen engine for as long as the work takes. There are no runs: the work is not done. */
export async function withEngine<T>(
  context: CommandContext,
  flags: EngineFlags,
  work: (engine: Engine, dataDir: string) => Promise<T>,
  otherwise: (engine: Engine) => T = noRuns,
): Promise<T> {
  const configuration = await readConfiguration(context.io)
  const dataDir = chooseDataDir(flags.dataDir, configuration, context.io)
  const kind = chooseEngine(flags.engine, configuration, context.io)
  const engine =
    kind === 'embedded'
      ? openEmbeddedEngine(dataDir)
      : await (await import('./open-temporal.ts')).openTemporal(context, configuration, dataDir)
  try {
    return engine.hasRuns() ? await work(engine, dataDir) : otherwise(engine)
  } finally {
    await engine.close()
  }
}

function noRuns({ place }: Engine): never {
  throw new CommandError(exitCodes.usage, `there are no runs in ${printableLine(place)}`, {
    hints: ['"opsbook run" starts one; --data-dir or OPSBOOK_DATA_DIR names another folder'],
  })
}
