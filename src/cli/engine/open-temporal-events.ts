// Not through the door of the engine, which would bring the worker along.
import type { EventBook } from '../../engine/event-book.ts'
import type { ClientPorts } from '../../engine/temporal/client/talk-to-run.ts'
import { connectClient } from '../../engine/temporal/connection.ts'
import { openEventBook } from '../../engine/temporal/events/event-book.ts'
import { keepKeysMs } from '../configuration/keep-keys.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import type { CommandContext } from '../context.ts'
import { readTemporalSettings } from './temporal-settings.ts'

/** Opens the events of the configured task queue. They close their connection with themselves. */
export async function openTemporalEvents(
  { io }: CommandContext,
  configuration: Configuration,
  connection?: string,
): Promise<{ readonly book: EventBook; readonly ports: ClientPorts }> {
  const settings = readTemporalSettings(configuration, io)
  const ports = { client: await connectClient(settings), taskQueue: settings.taskQueue }
  const book = openEventBook({
    ...ports,
    keepKeysMs: keepKeysMs(configuration),
    ...(connection === undefined ? {} : { connection }),
  })
  return { book, ports }
}
