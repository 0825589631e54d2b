import type { ClientPorts } from '../../engine/temporal/client/talk-to-run.ts'
import { connectClient } from '../../engine/temporal/connection.ts'
import { readConfiguration } from '../configuration/read-configuration.ts'
import type { CommandContext } from '../context.ts'
import { readTemporalSettings } from './temporal-settings.ts'

/** Connects to the configured server for as long as the work takes. */
export async function withTemporalClient<T>(
  { io }: CommandContext,
  work: (ports: ClientPorts) => Promise<T>,
): Promise<T> {
  const settings = readTemporalSettings(await readConfiguration(io), io)
  const client = await connectClient(settings)
  try {
    return await work({ client, taskQueue: settings.taskQueue })
  } finally {
    await client.connection.close()
  }
}
