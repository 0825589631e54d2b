import { hasDatabase, openEmbeddedEngine, openEventStore } from '../../engine/embedded/index.ts'
import type { Engine, EventStore } from '../../engine/index.ts'
import { CommandError } from '../command-error.ts'
import { keepKeysMs } from '../configuration/schema/hooks-schema.ts'
import type { ProjectContext } from '../surroundings.ts'
import type { EngineFlags } from '../text/location-flags.ts'
import { printableLine } from '../text/printable.ts'
import { type Location, readLocation } from './read-location.ts'

/** Opens the chosen engine, and closes it after the work. Without any runs, `otherwise` is called instead. */
export async function withEngine<T>(
  context: ProjectContext,
  flags: EngineFlags,
  work: (engine: Engine, dataDir: string) => Promise<T>,
  otherwise: (engine: Engine) => T = noRuns,
): Promise<T> {
  const { configuration, dataDir, kind } = await readLocation(flags, context.io)
  const engine =
    kind === 'embedded'
      ? openEmbeddedEngine(dataDir)
      : await (await import('../temporal/open-temporal.ts')).openTemporal(context, configuration, dataDir)
  try {
    return engine.hasRuns() ? await work(engine, dataDir) : otherwise(engine)
  } finally {
    await engine.close()
  }
}

function noRuns({ location }: Engine): never {
  throw new CommandError('usage', `there are no runs in ${printableLine(location)}`, {
    hints: ['"opsbook run" starts one; use --data-dir or OPSBOOK_DATA_DIR for another folder'],
  })
}

/**
 * Opens the events of the chosen engine, and closes them after the work. With `otherwise` nothing is written: it is
 * called with the data directory if nothing has been recorded there.
 */
export async function withEventStore<T>(
  context: ProjectContext,
  flags: EngineFlags,
  work: (events: EventStore) => Promise<T>,
  otherwise?: (dataDir: string) => T,
): Promise<T> {
  const location = await readLocation(flags, context.io)
  const { kind, dataDir } = location
  if (otherwise && kind === 'embedded' && !hasDatabase(dataDir)) return otherwise(dataDir)
  const events = await openChosen(context, location, otherwise !== undefined)
  try {
    return await work(events)
  } finally {
    await events.close()
  }
}

async function openChosen(
  context: ProjectContext,
  { kind, dataDir, configuration }: Location,
  isReader: boolean,
): Promise<EventStore> {
  if (kind === 'temporal') {
    const { openTemporalEvents } = await import('../temporal/open-temporal.ts')
    return (await openTemporalEvents(context, configuration)).events
  }
  return openEventStore({ dataDir, keepKeysMs: keepKeysMs(configuration), isReader })
}
