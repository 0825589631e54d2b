import type { RunHandle, RunReport } from '../../engine/record/run-handle.ts'
import type { CommandContext } from '../context.ts'
import type { RunViews } from './open-views.ts'
import { handleStopSignals } from './stop-signals.ts'

/** What the end of following a run means, which is not the same everywhere. */
export interface Ending {
  /** What the first signal brings about, for the person who sent it. */
  tellStop(handle: RunHandle | undefined): string
  /** What is thrown instead where a run that has started gives no report. */
  explain(thrown: unknown, handle: RunHandle): unknown
}

/**
 * Starts a run and follows it to its end. The first signal interrupts it, or aborts what it waits for before it can
 * start; the second ends the process.
 */
export async function untilEnd(
  { io }: CommandContext,
  { follower }: RunViews,
  { tellStop, explain }: Ending,
  start: (signal: AbortSignal) => Promise<RunHandle>,
): Promise<RunReport & { readonly is_joined?: true }> {
  const stop = new AbortController()
  let handle: RunHandle | undefined
  let isStopped = false
  const forgetSignals = handleStopSignals(io, {
    onStop() {
      follower.say(tellStop(handle))
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
    // Where the report goes to the same screen, it takes the place of the live view.
    follower.end({ isKept: io.stdout.isTTY !== true })
  }
}
