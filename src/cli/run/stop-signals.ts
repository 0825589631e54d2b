import { exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'

/** What a first signal does, while a run goes on. */
export interface Stoppable {
  /** Called once. */
  onStop(signal: string): void
  /** Called when the person insists, before the process ends. */
  onLeave(): void
}

/** A terminal and a wrapping tool such as npm may both pass on the same key press. */
const samePressMs = 250

/** The first signal stops the run, the second ends the process. Answers with the function that stops listening. */
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
