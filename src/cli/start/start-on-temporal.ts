import { workersMissing } from '../../engine/temporal/client/look-for-workers.ts'
import { beginRun } from '../../engine/temporal/client/start-run.ts'
import { connectClient } from '../../engine/temporal/connection.ts'
import type { StartFlags } from '../commands/start.ts'
import type { Configuration } from '../configuration/index.ts'
import type { CommandContext } from '../context.ts'
import { actionsOfQueue } from '../engine/actions-of-queue.ts'
import { readTemporalSettings } from '../engine/temporal-settings.ts'
import type { StartedWork } from './start-embedded.ts'

/** Starts the run on the workers. `missing` says that there are none. */
export async function startOnTemporal(
  { io }: CommandContext,
  configuration: Configuration,
  options: StartFlags,
  work: StartedWork,
): Promise<{ readonly runId: string; readonly isJoined: boolean; readonly missing: string | undefined }> {
  const settings = readTemporalSettings(configuration, io)
  const client = await connectClient(settings)
  try {
    const started = await beginRun({
      ...work,
      actions: await actionsOfQueue(client, settings.taskQueue, work.actions),
      client,
      taskQueue: settings.taskQueue,
      ...(options.id === undefined ? {} : { key: options.id }),
      ...(options.connection === undefined ? {} : { connection: options.connection }),
      ...(options.yes ? { approve: 'all' as const } : {}),
    })
    // The run is started, whoever can say who looks.
    const missing = workersMissing(client, settings.taskQueue).catch(() => undefined)
    return { ...started, missing: await missing }
  } finally {
    await client.connection.close()
  }
}
