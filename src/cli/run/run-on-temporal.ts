import type { Action } from '../../actions/index.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan.ts'
import type { RunHandle } from '../../engine/record/run-handle.ts'
// Not through the door of the engine, which would bring the worker along.
import { startRun } from '../../engine/temporal/client/start-run.ts'
import { connectClient } from '../../engine/temporal/connection.ts'
import { CommandError } from '../command-error.ts'
import type { RunOptions } from '../commands/run.ts'
import type { Configuration } from '../configuration/index.ts'
import type { CommandContext } from '../context.ts'
import { actionsOfQueue } from '../engine/actions-of-queue.ts'
import { readTemporalSettings } from '../engine/temporal-settings.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import type { ServiceChoice } from '../open-service.ts'
import { requireSandbox } from '../stays-inside.ts'
import { createAsker } from './ask/create-asker.ts'
import { lookOn } from './look-on.ts'
import { openViews } from './open-views.ts'

/** What is to be run. */
export interface PlannedRun {
  readonly plan: Plan
  readonly inputs: JsonObject
  readonly actions: readonly Action[]
  readonly configuration: Configuration
  readonly dataDir: string
}

/** Starts a run on the workers of a Temporal server, or joins it, and follows it to its end. */
export async function runOnTemporal(
  context: CommandContext,
  options: RunOptions,
  { configuration, ...planned }: PlannedRun,
): Promise<ExitCode> {
  refuseSandbox(options)
  const settings = readTemporalSettings(configuration, context.io)
  const client = await connectClient(settings)
  try {
    const views = await openViews(context, options, {
      plan: planned.plan,
      approvesAll: options.yes === true,
      note: 'Ctrl-C ends looking on; the run goes on',
    })
    const { take, follower } = views
    if (options.yes) follower.say('--yes: everything is approved in advance')
    const actions = await actionsOfQueue(client, settings.taskQueue, planned.actions)
    const start = (): Promise<RunHandle> =>
      startRun({
        ...planned,
        actions,
        client,
        taskQueue: settings.taskQueue,
        onEvent: take,
        say: follower.say,
        ...(options.id === undefined ? {} : { key: options.id }),
        ...(options.connection === undefined ? {} : { connection: options.connection }),
        ...(options.yes ? { approve: 'all' as const } : { onQuestion: createAsker(context, options, views) }),
      })
    return views.end(await lookOn(context, options, views, start))
  } finally {
    await client.connection.close()
  }
}

/** The workers have connections of their own: they know nothing of a sandbox here. */
function refuseSandbox(choice: ServiceChoice): void {
  requireSandbox(choice)
  if (!choice.sandbox) return
  throw new CommandError(exitCodes.usage, '--sandbox is for the embedded engine: the workers cannot see it', {
    hints: ['"opsbook dev" runs a worker with a sandbox of its own'],
  })
}
