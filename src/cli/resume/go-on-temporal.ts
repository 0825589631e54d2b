import type { RunRecord } from '../../core/record/run-record.ts'
import { readEvents } from '../../engine/temporal/client/follow-events.ts'
import { followRun } from '../../engine/temporal/client/follow-run.ts'
import { type ClientPorts, talkToRun } from '../../engine/temporal/client/talk-to-run.ts'
import { connectClient } from '../../engine/temporal/connection.ts'
import { chooseDataDir, readConfiguration } from '../configuration/index.ts'
import type { CommandContext } from '../context.ts'
import { readTemporalSettings } from '../engine/temporal-settings.ts'
import type { ExitCode } from '../exit-codes.ts'
import { createAsker } from '../run/ask/create-asker.ts'
import type { FollowOptions } from '../run/follow-run.ts'
import { lookOn } from '../run/look-on.ts'
import { openViews } from '../run/open-views.ts'

/** Lets a run on Temporal go on, and follows it to its end. `begin`: starts what it goes on with. */
export async function goOnTemporal(
  context: CommandContext,
  { run_id: runId, plan }: RunRecord,
  options: FollowOptions,
  begin: (ports: ClientPorts) => Promise<unknown>,
): Promise<ExitCode> {
  const configuration = await readConfiguration(context.io)
  const settings = readTemporalSettings(configuration, context.io)
  const client = await connectClient(settings)
  const ports = { client, taskQueue: settings.taskQueue }
  try {
    const views = await openViews(context, options, { plan, note: 'Ctrl-C ends looking on; the run goes on' })
    const before = await readEvents(ports, runId)
    for (const { event } of before) views.recall(event)
    return views.end(
      await lookOn(context, options, views, async () => {
        await talkToRun(runId, ports, () => begin(ports))
        return followRun(
          { runId, isJoined: false },
          {
            ...ports,
            dataDir: chooseDataDir(options.dataDir, configuration, context.io),
            afterSeq: before.at(-1)?.seq ?? 0,
            onEvent: views.take,
            onQuestion: createAsker(context, options, views),
            say: views.follower.say,
          },
        )
      }),
    )
  } finally {
    await client.connection.close()
  }
}
