import { RunbookError } from '../../core/run-error.ts'
import type { RunHandle, RunReport } from '../../engine/record/index.ts'
import { CommandError, type EngineFlags } from '../../project/index.ts'
import { locationFlags } from '../../project/text/index.ts'
import type { CommandContext } from '../shared/context.ts'
import { handleStopSignals } from '../shared/stop-signals.ts'
import type { RunViews } from './open-views.ts'

/** How following a run ends, which differs by engine. */
export interface Ending {
  /** The effect of the first signal, as text for the user. */
  stopText(handle: RunHandle | undefined): string
  /** The error to throw if a run that has started gives no report. */
  explain(thrown: unknown, handle: RunHandle): unknown
}

/**
 * Starts a run and follows it to its end. The first signal interrupts it, or aborts what it waits for before it can
 * start; the second ends the process.
 */
export async function untilEnd(
  { io }: CommandContext,
  { follower }: RunViews,
  { stopText, explain }: Ending,
  start: (signal: AbortSignal) => Promise<RunHandle>,
): Promise<RunReport & { readonly is_joined?: true }> {
  const stop = new AbortController()
  let handle: RunHandle | undefined
  let isStopped = false
  const forgetSignals = handleStopSignals(io, {
    onStop() {
      follower.say(stopText(handle))
      isStopped = true
      stop.abort()
      handle?.interrupt()
    },
    onLeave: () => follower.end({ isKept: true }),
  })
  try {
    const started = await start(stop.signal)
    handle = started
    if (isStopped) started.interrupt()
    const report = await started.result.catch((thrown: unknown) => {
      throw explain(thrown, started)
    })
    return started.isJoined ? { ...report, is_joined: true } : report
  } finally {
    forgetSignals()
    // On the same screen, the report replaces the live view.
    follower.end({ isKept: io.stdout.isTTY !== true })
  }
}

/** Follows a run on workers until it ends or the user detaches. Detaching does not stop the run. */
export function followOnWorkers(
  context: CommandContext,
  options: EngineFlags,
  views: RunViews,
  start: () => Promise<RunHandle>,
): Promise<RunReport> {
  return untilEnd(
    context,
    views,
    {
      stopText: () => 'detached; the run continues on its workers',
      explain: (thrown, { runId }) =>
        RunbookError.is(thrown) && thrown.code === 'Interrupted' ? detached(runId, options) : thrown,
    },
    start,
  )
}

function detached(runId: string, options: EngineFlags): CommandError {
  const command = (words: string): string => `opsbook ${words} ${runId} ${locationFlags(options)}`.trim()
  return new CommandError('interrupted', `${runId} continues on its workers`, {
    hints: [`"${command('watch')}" follows it again`, `"${command('cancel')}" cancels it`],
  })
}
