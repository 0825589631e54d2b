import type { Action } from '../../actions/index.ts'
import type { Identity } from '../../core/events.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import { beginRun, workersMissing } from '../../engine/temporal/client/index.ts'
import { checkInputs } from '../../load/index.ts'
import type { Configuration } from '../../project/configuration/index.ts'
import type { ProjectContext } from '../../project/index.ts'
import { actionsOfQueue, withTemporalClient } from '../../project/temporal/index.ts'

/** The work of a run to start, as both engines take it. */
export interface StartedWork {
  readonly plan: Plan
  readonly inputs: JsonObject
  readonly actions: readonly Action[]
  readonly dataDir: string
  /** The folder of the project. */
  readonly project: string
  readonly key?: string
  readonly connection?: string
  readonly approve?: 'all'
  readonly by?: Identity
  /** Reports what happens to the start if another run has the concurrency key. */
  readonly say: (text: string) => void
}

/** Starts the run on the workers. `missing` reports that there are none. */
export async function startOnTemporal(
  context: ProjectContext,
  configuration: Configuration,
  work: StartedWork,
): Promise<{ readonly runId: string; readonly isJoined: boolean; readonly missing: string | undefined }> {
  return withTemporalClient(context, configuration, async (ports) => {
    const { client, taskQueue } = ports
    const started = await beginRun({
      ...work,
      actions: await actionsOfQueue(client, taskQueue, work.actions),
      checkInputs,
      ...ports,
    })
    // The run is started, whether the server can list workers or not.
    const missing = workersMissing(client, taskQueue).catch(() => undefined)
    return { ...started, missing: await missing }
  })
}
