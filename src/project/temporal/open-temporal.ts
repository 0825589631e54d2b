import type { Engine } from '../../engine/index.ts'
import {
  type ClientPorts,
  connectClient,
  openTemporalEngine,
  type TemporalSettings,
} from '../../engine/temporal/client/index.ts'
import {
  type EventStoreOptions,
  openEventStore,
  type TemporalEventStore,
} from '../../engine/temporal/received-events/index.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import { keepKeysMs } from '../configuration/schema/hooks-schema.ts'
import type { ProjectContext } from '../surroundings.ts'
import { readTemporalSettings } from './temporal-settings.ts'

/** Connects to the configured server, to read and control its runs. */
export async function openTemporal(
  { io }: ProjectContext,
  configuration: Configuration,
  dataDir: string,
): Promise<Engine> {
  const settings = readTemporalSettings(configuration, io)
  return openTemporalEngine({
    client: await connectClient(settings),
    taskQueue: settings.taskQueue,
    dataDir,
    async loadActions() {
      const { loadDescriptions } = await import('../actions/load-actions.ts')
      return loadDescriptions(io)
    },
  })
}

/** Connects to the configured server, and disconnects after the work. */
export async function withTemporalClient<T>(
  { io }: ProjectContext,
  configuration: Configuration,
  work: (ports: ClientPorts, settings: TemporalSettings) => Promise<T>,
): Promise<T> {
  const settings = readTemporalSettings(configuration, io)
  const client = await connectClient(settings)
  try {
    return await work({ client, taskQueue: settings.taskQueue }, settings)
  } finally {
    await client.connection.close()
  }
}

/** Opens the events of the configured task queue. Closing them closes their connection. */
export async function openTemporalEvents(
  { io }: ProjectContext,
  configuration: Configuration,
  options: Pick<EventStoreOptions, 'connection' | 'onStartLimit'> = {},
): Promise<{ readonly events: TemporalEventStore; readonly ports: ClientPorts }> {
  const settings = readTemporalSettings(configuration, io)
  const ports = { client: await connectClient(settings), taskQueue: settings.taskQueue }
  const events = openEventStore({ ...ports, ...options, keepKeysMs: keepKeysMs(configuration) })
  return { events, ports }
}
