import type { Plan } from '../../core/plan.ts'
import { readEvents } from '../../engine/temporal/client/follow-events.ts'
import { followRun } from '../../engine/temporal/client/follow-run.ts'
import type { ClientPorts } from '../../engine/temporal/client/talk-to-run.ts'
import type { RunStart } from '../../engine/temporal/messages.ts'
import { chooseDataDir, readConfiguration } from '../configuration/index.ts'
import type { CommandContext } from '../context.ts'
import type { ExitCode } from '../exit-codes.ts'
import { createAsker } from '../run/ask/create-asker.ts'
import type { FollowOptions } from '../run/follow-run.ts'
import { lookOn } from '../run/look-on.ts'
import { openViews } from '../run/open-views.ts'

/** A run that goes on. */
export interface GoingRun {
  readonly runId: string
  /** As it goes on. */
  readonly plan: Plan
  /** Everything is gone over anew, and told again. */
  readonly isAmended?: true
  /** Starts what it goes on with. */
  begin(): Promise<RunStart>
}

/** Lets a run on Temporal go on, and follows it to its end. */
export async function goOnTemporal(
  context: CommandContext,
  ports: ClientPorts,
  { runId, plan, isAmended, begin }: GoingRun,
  options: FollowOptions,
): Promise<ExitCode> {
  const configuration = await readConfiguration(context.io)
  const views = await openViews(context, options, {
    plan,
    approvesAll: options.yes === true,
    note: 'Ctrl-C ends looking on; the run goes on',
  })
  if (!isAmended) for (const { event } of await readEvents(ports, runId)) views.recall(event)
  if (options.yes) views.follower.say('--yes: everything is approved in advance')
  return views.end(
    await lookOn(context, options, views, async () => {
      const { carried } = await begin()
      return followRun(
        { runId, isJoined: false },
        {
          ...ports,
          dataDir: chooseDataDir(options.dataDir, configuration, context.io),
          afterSeq: carried?.lastSeq ?? 0,
          onEvent: views.take,
          ...(options.yes ? {} : { onQuestion: createAsker(context, options, views) }),
          say: views.follower.say,
        },
      )
    }),
  )
}
