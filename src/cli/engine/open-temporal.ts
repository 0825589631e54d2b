// Not through the door of the engine, which would bring the worker along.

import type { Engine } from '../../engine/engine.ts'
import { openTemporalEngine } from '../../engine/temporal/client/temporal-engine.ts'
import { connectClient } from '../../engine/temporal/connection.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import type { CommandContext } from '../context.ts'
import { readTemporalSettings } from './temporal-settings.ts'

/** Connects to the configured server, to look at its runs and to talk to them. */
export async function openTemporal(
  { io }: CommandContext,
  configuration: Configuration,
  dataDir: string,
): Promise<Engine> {
  const settings = readTemporalSettings(configuration, io)
  return openTemporalEngine({
    client: await connectClient(settings),
    taskQueue: settings.taskQueue,
    dataDir,
    async loadActions() {
      const { loadDescriptions } = await import('../load-actions.ts')
      return loadDescriptions(io)
    },
  })
}
