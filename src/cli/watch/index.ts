/** `opsbook watch`: looks on while a run goes on, whoever carries it out. */
import type { RunRecord } from '../../core/record/run-record.ts'
import type { Engine } from '../../engine/engine.ts'
import { untilAnswered } from '../../engine/temporal/client/patience.ts'
import type { WatchOptions } from '../commands/watch.ts'
import { type CommandContext, tell } from '../context.ts'
import { withEngine } from '../engine/with-engine.ts'
import type { ExitCode } from '../exit-codes.ts'
import { findRun } from '../record/find-run.ts'
import { hideSensitiveInputs, learnSecrets } from '../record/learn-secrets.ts'
import { openViews, type RunViews } from '../run/open-views.ts'
import { handleStopSignals } from '../run/stop-signals.ts'

/** Follows a run to its end. Answers with the exit code of the run. */
export function watch(context: CommandContext, given: string, options: WatchOptions): Promise<ExitCode> {
  return withEngine(context, options, async (engine) => {
    const say = (text: string): void => tell(context, text)
    const run = await untilAnswered(() => findRun(given, engine), say)
    const views = await openViews(context, options, { plan: run.plan, note: 'Ctrl-C ends looking on' })
    hideSensitiveInputs(run, views)
    if (!options.reveal) await learnSecrets(run, engine, views.mask)
    const read = (): Promise<RunRecord | undefined> => engine.readRun(run.run_id)
    const isOver = await lookOn(context, run, engine, views)
    // Whoever has seen enough waits for nobody.
    const last = await (isOver ? untilAnswered(read, say) : read().catch(() => undefined))
    return views.end(outsideOfLoops(last ?? run))
  })
}

/** Answers with whether the run is over. */
async function lookOn(
  { io }: CommandContext,
  run: RunRecord,
  engine: Engine,
  views: RunViews,
): Promise<boolean> {
  const { follower, take } = views
  const left = new AbortController()
  const forgetSignals = handleStopSignals(io, {
    onStop: () => left.abort(),
    onLeave: () => follower.end({ isKept: true }),
  })
  try {
    const following = { signal: left.signal, say: follower.say }
    for await (const { event } of engine.followEvents(run.run_id, following)) take(event)
    return !left.signal.aborted
  } finally {
    forgetSignals()
    follower.end({ isKept: io.stdout.isTTY !== true })
  }
}

/** The run as whoever carried it out reports it. */
function outsideOfLoops(run: RunRecord): RunRecord {
  return { ...run, steps: run.steps.filter(({ path }) => !path.includes('[')) }
}
