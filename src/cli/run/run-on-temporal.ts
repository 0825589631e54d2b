import type { Action } from '../../actions/index.ts'
import { advanceText } from '../../acts/index.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import type { RunHandle } from '../../engine/record/index.ts'
import { startRun } from '../../engine/temporal/client/index.ts'
import { checkInputs } from '../../load/index.ts'
import type { Configuration } from '../../project/configuration/index.ts'
import { requireSandbox, type ServiceChoice } from '../../project/connections/index.ts'
import { CommandError } from '../../project/index.ts'
import { actionsOfQueue, withTemporalClient } from '../../project/temporal/index.ts'
import type { CommandContext } from '../shared/context.ts'
import type { ExitCode } from '../shared/exit-codes.ts'
import type { FollowFlags } from '../shared/options.ts'
import { createAsker } from './create-asker.ts'
import { openViews } from './open-views.ts'
import { followOnWorkers } from './until-end.ts'

/** The run to start. */
export interface TemporalStart {
  readonly plan: Plan
  readonly inputs: JsonObject
  readonly actions: readonly Action[]
  readonly configuration: Configuration
  readonly dataDir: string
}

/** Starts a run on the workers of a Temporal server, or joins it, and follows it to its end. */
export async function runOnTemporal(
  context: CommandContext,
  options: FollowFlags & ServiceChoice & { readonly id?: string },
  { configuration, ...planned }: TemporalStart,
): Promise<ExitCode> {
  refuseSandbox(options)
  return withTemporalClient(context, configuration, async (ports) => {
    const views = await openViews(context, options, {
      plan: planned.plan,
      note: 'Ctrl-C detaches; the run continues',
    })
    const { take, follower } = views
    if (options.yes) follower.say(advanceText(planned.plan))
    const actions = await actionsOfQueue(ports.client, ports.taskQueue, planned.actions)
    const start = (): Promise<RunHandle> =>
      startRun({
        ...planned,
        actions,
        checkInputs,
        ...ports,
        onEvent: take,
        say: follower.say,
        ...(options.id === undefined ? {} : { key: options.id }),
        ...(options.connection === undefined ? {} : { connection: options.connection }),
        ...(options.yes ? { approve: 'all' as const } : {}),
        onQuestion: createAsker(context, options, views),
      })
    return views.end(await followOnWorkers(context, options, views, start))
  })
}

/** Refuses `--sandbox`: the workers have their own connections, and cannot see a sandbox here. */
function refuseSandbox(choice: ServiceChoice): void {
  requireSandbox(choice)
  if (!choice.sandbox) return
  throw new CommandError('usage', '--sandbox is for the embedded engine: the workers cannot see it', {
    hints: ['"opsbook dev" starts a worker with its own sandbox'],
  })
}
