import type { Action } from '../../actions/index.ts'
import type { Identity } from '../../core/events.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import { beginRun, connectClient, workersMissing } from '../../engine/temporal/client/index.ts'
import type { Configuration } from '../../project/configuration/index.ts'
import type { EngineFlags } from '../../project/index.ts'
import { actionsOfQueue, readTemporalSettings } from '../../project/temporal/index.ts'
import type { CommandContext } from '../shared/context.ts'
import type { OutputFlags } from '../shared/options.ts'
import type { InputSources } from '../shared/read-inputs.ts'

/** The run to start. */
export interface StartedWork {
  readonly plan: Plan
  readonly inputs: JsonObject
  readonly actions: readonly Action[]
  readonly dataDir: string
  /** The folder of the project. */
  readonly project: string
  readonly by?: Identity
  /** Reports what happens to the start if another run has the concurrency key. */
  readonly say: (text: string) => void
}

/** The flags of `start`, as the parser hands them over. */
export interface StartFlags extends InputSources, EngineFlags, OutputFlags {
  readonly connection?: string
  readonly id?: string
  readonly yes?: boolean
}

/** Starts the run on the workers. `missing` reports that there are none. */
export async function startOnTemporal(
  { io }: CommandContext,
  configuration: Configuration,
  options: Omit<StartFlags, 'output'>,
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
    // The run is started, whether the server can list workers or not.
    const missing = workersMissing(client, settings.taskQueue).catch(() => undefined)
    return { ...started, missing: await missing }
  } finally {
    await client.connection.close()
  }
}
