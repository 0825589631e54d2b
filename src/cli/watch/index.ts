/** `opsbook watch`: looks on while a run goes on, whoever carries it out. */
import type { RunReader, RunRecord } from '../../engine/embedded/index.ts'
import type { WatchOptions } from '../commands/watch.ts'
import type { CommandContext } from '../context.ts'
import type { ExitCode } from '../exit-codes.ts'
import { findRun } from '../record/find-run.ts'
import { learnSecrets } from '../record/learn-secrets.ts'
import { withRecord } from '../record/open-record.ts'
import { openViews, type RunViews } from '../run/open-views.ts'
import { handleStopSignals } from '../run/stop-signals.ts'

/** Follows a run to its end. Answers with the exit code of the run. */
export function watch(context: CommandContext, given: string, options: WatchOptions): Promise<ExitCode> {
  return withRecord(context, options, async (reader) => {
    const run = findRun(given, reader)
    const views = await openViews(context, options, { plan: run.plan, note: 'Ctrl-C ends looking on' })
    if (!options.reveal) learnSecrets(run, reader, views.mask)
    await lookOn(context, run, reader, views)
    return views.end(outsideOfLoops(reader.readRun(run.run_id) ?? run))
  })
}

async function lookOn(
  { io }: CommandContext,
  run: RunRecord,
  reader: RunReader,
  views: RunViews,
): Promise<void> {
  const { follower, take } = views
  const left = new AbortController()
  const forgetSignals = handleStopSignals(io, {
    onStop: () => left.abort(),
    onLeave: () => follower.end({ isKept: true }),
  })
  try {
    for await (const { event } of reader.followEvents(run.run_id, { signal: left.signal })) take(event)
  } finally {
    forgetSignals()
    follower.end({ isKept: io.stdout.isTTY !== true })
  }
}

/** The run as whoever carried it out reports it. */
function outsideOfLoops(run: RunRecord): RunRecord {
  return { ...run, steps: run.steps.filter(({ path }) => !path.includes('[')) }
}
