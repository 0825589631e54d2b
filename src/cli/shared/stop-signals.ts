import { exitCodes } from './exit-codes.ts'
import type { Io } from './io.ts'

/** A terminal and a wrapper such as npm can both pass on the same key press. */
const samePressMs = 250

/** The handlers of stop signals. */
export interface Stoppable {
  /** Called for the first signal. */
  onStop(signal: string): void
  /** Called for the second signal, before the process ends. */
  onLeave(): void
}

/** The first signal stops the run, the second ends the process. Returns the function that stops listening. */
export function handleStopSignals(io: Io, { onStop, onLeave }: Stoppable): () => void {
  let firstAt: number | undefined
  return io.onStopSignal((signal) => {
    const now = Date.now()
    if (firstAt === undefined) {
      firstAt = now
      onStop(signal)
    } else if (now - firstAt >= samePressMs) {
      onLeave()
      io.exit(exitCodes.interrupted)
    }
  })
}

/**
 * Resolves at the first stop signal, and prints how to stop without waiting for calls in flight. A second signal
 * ends the process with exit code 130.
 */
export function untilStopped(io: Io, say: (line: string) => void): Promise<void> {
  return new Promise((resolve) => {
    // Listens until the process ends, so that the second signal always counts.
    handleStopSignals(io, {
      onStop() {
        say(stopping)
        resolve()
      },
      onLeave: () => say('stopped without waiting'),
    })
  })
}

const stopping =
  'stopping once the calls in flight have ended; Ctrl-C again exits immediately, and leaves the outcome of their writes unknown'
