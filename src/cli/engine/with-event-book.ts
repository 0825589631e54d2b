// Not through the door of the engine, which would bring the client along.

import { hasDatabase } from '../../engine/embedded/database.ts'
import { openEventBook } from '../../engine/embedded/events/event-book.ts'
import type { EventBook } from '../../engine/event-book.ts'
import type { EngineFlags } from '../commands/options.ts'
import { chooseDataDir } from '../configuration/data-dir.ts'
import { keepKeysMs } from '../configuration/keep-keys.ts'
import { type Configuration, readConfiguration } from '../configuration/read-configuration.ts'
import type { CommandContext } from '../context.ts'
import { chooseEngine } from './choose-engine.ts'

/**
 * Opens the events of the chosen engine for as long as the work takes. With `otherwise` no folder is made: where nothing
 * has been recorded yet, that is done instead, with the place.
 */
export async function withEventBook<T>(
  context: CommandContext,
  flags: EngineFlags,
  work: (book: EventBook) => Promise<T>,
  otherwise?: (place: string) => T,
): Promise<T> {
  const configuration = await readConfiguration(context.io)
  if (otherwise && chooseEngine(flags.engine, configuration, context.io) === 'embedded') {
    const place = chooseDataDir(flags.dataDir, configuration, context.io)
    if (!hasDatabase(place)) return otherwise(place)
  }
  const book = await openChosen(context, flags, configuration)
  try {
    return await work(book)
  } finally {
    await book.close()
  }
}

async function openChosen(
  context: CommandContext,
  flags: EngineFlags,
  configuration: Configuration,
): Promise<EventBook> {
  if (chooseEngine(flags.engine, configuration, context.io) === 'temporal') {
    const { openTemporalEvents } = await import('./open-temporal-events.ts')
    return (await openTemporalEvents(context, configuration)).book
  }
  const dataDir = chooseDataDir(flags.dataDir, configuration, context.io)
  return openEventBook({ dataDir, keepKeysMs: keepKeysMs(configuration) })
}
