import { workflowInfo } from '@temporalio/workflow'
import { type Cancellation, createCancellation } from '../../../core/cancellation.ts'
import { RunbookError } from '../../../core/run-error.ts'
import type { RunStart } from '../messages.ts'

/** Ends an execution of a workflow before its history becomes too long. */
export interface Drain {
  /** Cancelled once nothing new is to be begun: what waits stops waiting. */
  readonly begun: Cancellation
  isBegun(): boolean
  /** Throws `Interrupted` where nothing new is to be begun, and begins to drain where it is time to. */
  check(): void
  /** It was time to, and the run has more to take along than can be: it has to end in this execution. */
  readonly isStuck: boolean
  /** Throws `Interrupted` where nothing new is to be begun. */
  stopHere(): void
}

/** What draining takes. */
export interface DrainOptions {
  /** How much the run would take along now, in bytes. */
  readonly measure: () => number
  /** Told once that it is too much. */
  readonly onStuck: (bytes: number) => void
}

/** The server ends a run that brings 2 MiB into its next execution, without a word to it. */
export const mostCarriedBytes: number = 2 * 1024 * 1024 - 16 * 1024

/** The server's own suggestion comes at so many events, too. */
const usualMost = 4096

export function createDrain(
  { mostEvents = usualMost }: Pick<RunStart, 'mostEvents'>,
  { measure, onStuck }: DrainOptions,
): Drain {
  const begun = createCancellation()
  let isStuck = false
  const begin = (): void => {
    const bytes = measure()
    if (bytes <= mostCarriedBytes) {
      begun.cancel({ code: 'Interrupted', message: 'the history is long enough' })
      return
    }
    isStuck = true
    onStuck(bytes)
  }
  const stopHere = (): void => {
    if (begun.reason)
      throw new RunbookError('Interrupted', 'the run goes on in another execution', { notSent: true })
  }
  return {
    begun,
    isBegun: () => begun.reason !== undefined,
    check() {
      const { historyLength, continueAsNewSuggested } = workflowInfo()
      const isTime = historyLength >= mostEvents || continueAsNewSuggested
      if (isTime && !begun.reason && !isStuck) begin()
      stopHere()
    },
    get isStuck() {
      return isStuck
    },
    stopHere,
  }
}
