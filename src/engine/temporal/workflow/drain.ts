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
  /** Throws `Interrupted` where nothing new is to be begun. */
  stopHere(): void
}

/** The server's own suggestion comes at so many events, too. */
const usualMost = 4096

export function createDrain({ mostEvents = usualMost }: Pick<RunStart, 'mostEvents'>): Drain {
  const begun = createCancellation()
  const stopHere = (): void => {
    if (begun.reason)
      throw new RunbookError('Interrupted', 'the run goes on in another execution', { notSent: true })
  }
  return {
    begun,
    isBegun: () => begun.reason !== undefined,
    check() {
      const { historyLength, continueAsNewSuggested } = workflowInfo()
      if (historyLength >= mostEvents || continueAsNewSuggested) {
        begun.cancel({ code: 'Interrupted', message: 'the history is long enough' })
      }
      stopHere()
    },
    stopHere,
  }
}
