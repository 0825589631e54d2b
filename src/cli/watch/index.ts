/** `opsbook watch`: looks on while a run goes on, whoever carries it out. */
import type { RunRecord } from '../../core/record/run-record.ts'
import type { Engine } from '../../engine/engine.ts'
import type { WatchOptions } from '../commands/watch.ts'
import type { CommandContext } from '../context.ts'
import { withEngine } from '../engine/with-engine.ts'
import type { ExitCode } from '../exit-codes.ts'
import { findRun } from '../record/find-run.ts'
import { learnSecrets } from '../record/learn-secrets.ts'
import { openViews, type RunViews } from '../run/open-views.ts'
import { handleStopSignals } from '../run/stop-signals.ts'

/** Follows a run to its end. Answers with the exit code of the run. */
export function watch(context: CommandContext, given: string, options: WatchOptions): Promise<ExitCode> {
  return withEngine(context, options, async (engine) => {
    const run = await findRun(given, engine)
    const views = await openViews(context, options, { plan: run.plan, note: 'Ctrl-C ends looking on' })
    if (!options.reveal) await learnSecrets(run, engine, views.mask)
    await lookOn(context, run, engine, views)
    return views.end(outsideOfLoops((await engine.readRun(run.run_id)) ?? run))
  })
}

async function lookOn(
  { io }: CommandContext,
  run: RunRecord,
  engine: Engine,
  views: RunViews,
): Promise<void> {
  const { follower, take } = views
  const left = new AbortController()
  const forgetSignals = handleStopSignals(io, {
    onStop: () => left.abort(),
    onLeave: () => follower.end({ isKept: true }),
  })
  try {
    const following = { signal: left.signal, say: follower.say }
    for await (const { event } of engine.followEvents(run.run_id, following)) take(event)
  } finally {
    forgetSignals()
    follower.end({ isKept: io.stdout.isTTY !== true })
  }
}

/** The run as whoever carried it out reports it. */
function outsideOfLoops(run: RunRecord): RunRecord {
  return { ...run, steps: run.steps.filter(({ path }) => !path.includes('[')) }
}
