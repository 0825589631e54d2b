/** `opsbook watch`: follows a run that another process executes. */

import { type RunRecord, waitingText } from '../../core/record/index.ts'
import { type Engine, untilAnswered } from '../../engine/index.ts'
import { withEngine } from '../../project/engine/index.ts'
import { findRun, hideSensitiveInputs, learnSecrets } from '../../project/records/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { openViews, type RunViews } from '../run/open-views.ts'
import { type CommandContext, tell } from '../shared/context.ts'
import type { ExitCode } from '../shared/exit-codes.ts'
import type { ViewOptions } from '../shared/options.ts'
import { handleStopSignals } from '../shared/stop-signals.ts'

/** The flags of `watch`, as the parser hands them over. */
export interface WatchFlags extends ViewOptions {
  readonly output: 'text' | 'ndjson'
}

/** Follows a run to its end. Returns the exit code of the run. */
export function watch(context: CommandContext, given: string, options: WatchFlags): Promise<ExitCode> {
  return withEngine(context, options, async (engine) => {
    const say = (text: string): void => tell(context, text)
    const run = await untilAnswered(() => findRun(given, engine), say)
    // The events are on stdout: stderr does not repeat them.
    const isLines = options.output === 'ndjson'
    const quiet = options.quiet === true || isLines
    const facts = { plan: run.plan, note: 'Ctrl-C detaches; the run continues' }
    const views = await openViews(context, { ...options, quiet }, facts)
    await hideSensitiveInputs(run, engine, views)
    if (!options.reveal) await learnSecrets(run, engine, views.mask)
    const read = (): Promise<RunRecord | undefined> => engine.readRun(run.run_id)
    const isOver = await follow(
      context,
      run,
      engine,
      views,
      isLines && !options.quiet ? say : views.follower.say,
    )
    // A user who detaches does not wait for an unavailable server.
    const last = await (isOver ? untilAnswered(read, say) : read().catch(() => undefined))
    return views.end(outsideOfLoops(last ?? run))
  })
}

/** Shows events until the run ends or the user detaches. Returns whether the run has ended. */
async function follow(
  { io }: CommandContext,
  run: RunRecord,
  engine: Engine,
  views: RunViews,
  say: (text: string) => void,
): Promise<boolean> {
  const { follower, take } = views
  const left = new AbortController()
  const forgetSignals = handleStopSignals(io, {
    onStop: () => left.abort(),
    onLeave: () => follower.end({ isKept: true }),
  })
  try {
    const following = { signal: left.signal, say }
    if (run.place_in_line) say(printableLine(waitingText(run.place_in_line)))
    for await (const { event } of engine.followEvents(run.run_id, following)) take(event)
    return !left.signal.aborted
  } finally {
    forgetSignals()
    follower.end({ isKept: io.stdout.isTTY !== true })
  }
}

/** The run as its own process reports it: without the steps inside loops. */
function outsideOfLoops(run: RunRecord): RunRecord {
  return { ...run, steps: run.steps.filter(({ path }) => !path.includes('[')) }
}
