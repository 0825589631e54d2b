// Not through the door of the engine, which would bring the worker along.
import type { ClientPorts } from '../../engine/temporal/client/talk-to-run.ts'
import { connectClient } from '../../engine/temporal/connection.ts'
import {
  type EventBookOptions,
  openEventBook,
  type TemporalEventBook,
} from '../../engine/temporal/events/event-book.ts'
import { keepKeysMs } from '../configuration/keep-keys.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import type { CommandContext } from '../context.ts'
import { readTemporalSettings } from './temporal-settings.ts'

/** Opens the events of the configured task queue. They close their connection with themselves. */
export async function openTemporalEvents(
  { io }: CommandContext,
  configuration: Configuration,
  options: Pick<EventBookOptions, 'connection' | 'onStartLimit'> = {},
): Promise<{ readonly book: TemporalEventBook; readonly ports: ClientPorts }> {
  const settings = readTemporalSettings(configuration, io)
  const ports = { client: await connectClient(settings), taskQueue: settings.taskQueue }
  const book = openEventBook({ ...ports, ...options, keepKeysMs: keepKeysMs(configuration) })
  return { book, ports }
}
