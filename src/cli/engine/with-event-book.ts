// Not through the door of the engine, which would bring the client along.
import { openEventBook } from '../../engine/embedded/events/event-book.ts'
import type { EventBook } from '../../engine/event-book.ts'
import { CommandError } from '../command-error.ts'
import type { EngineFlags } from '../commands/options.ts'
import { chooseDataDir } from '../configuration/data-dir.ts'
import { keepKeysMs } from '../configuration/keep-keys.ts'
import { readConfiguration } from '../configuration/read-configuration.ts'
import type { CommandContext } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { chooseEngine } from './choose-engine.ts'

/** Opens the events of the chosen engine for as long as the work takes. */
export async function withEventBook<T>(
  context: CommandContext,
  flags: EngineFlags,
  work: (book: EventBook) => Promise<T>,
): Promise<T> {
  const configuration = await readConfiguration(context.io)
  if (chooseEngine(flags.engine, configuration, context.io) === 'temporal')
    throw new CommandError(exitCodes.usage, 'events are kept on the embedded engine only')
  const dataDir = chooseDataDir(flags.dataDir, configuration, context.io)
  const book = openEventBook({ dataDir, keepKeysMs: keepKeysMs(configuration) })
  try {
    return await work(book)
  } finally {
    await book.close()
  }
}
