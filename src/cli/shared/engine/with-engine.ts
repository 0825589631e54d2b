import { hasDatabase, openEmbeddedEngine, openEventStore } from '../../../engine/embedded/index.ts'
import type { Engine, EventStore } from '../../../engine/index.ts'
import { CommandError } from '../command-error.ts'
import { chooseDataDir } from '../configuration/data-dir.ts'
import { keepKeysMs } from '../configuration/hooks-schema.ts'
import { type Configuration, readConfiguration } from '../configuration/read-configuration.ts'
import type { CommandContext } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import type { EngineFlags } from '../options.ts'
import { printableLine } from '../terminal/printable.ts'
import { chooseEngine } from './choose-engine.ts'

/** Opens the chosen engine, and closes it after the work. Without any runs, `otherwise` is called instead. */
export async function withEngine<T>(
  context: CommandContext,
  flags: EngineFlags,
  work: (engine: Engine, dataDir: string, configuration: Configuration) => Promise<T>,
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
    return engine.hasRuns() ? await work(engine, dataDir, configuration) : otherwise(engine)
  } finally {
    await engine.close()
  }
}

function noRuns({ location }: Engine): never {
  throw new CommandError(exitCodes.usage, `there are no runs in ${printableLine(location)}`, {
    hints: ['"opsbook run" starts one; use --data-dir or OPSBOOK_DATA_DIR for another folder'],
  })
}

/**
 * Opens the events of the chosen engine, and closes them after the work. With `otherwise` no folder is created: it is
 * called with the data directory if nothing has been recorded there.
 */
export async function withEventStore<T>(
  context: CommandContext,
  flags: EngineFlags,
  work: (events: EventStore) => Promise<T>,
  otherwise?: (dataDir: string) => T,
): Promise<T> {
  const configuration = await readConfiguration(context.io)
  if (otherwise && chooseEngine(flags.engine, configuration, context.io) === 'embedded') {
    const dataDir = chooseDataDir(flags.dataDir, configuration, context.io)
    if (!hasDatabase(dataDir)) return otherwise(dataDir)
  }
  const events = await openChosen(context, flags, configuration)
  try {
    return await work(events)
  } finally {
    await events.close()
  }
}

async function openChosen(
  context: CommandContext,
  flags: EngineFlags,
  configuration: Configuration,
): Promise<EventStore> {
  if (chooseEngine(flags.engine, configuration, context.io) === 'temporal') {
    const { openTemporalEvents } = await import('./open-temporal.ts')
    return (await openTemporalEvents(context, configuration)).events
  }
  const dataDir = chooseDataDir(flags.dataDir, configuration, context.io)
  return openEventStore({ dataDir, keepKeysMs: keepKeysMs(configuration) })
}
