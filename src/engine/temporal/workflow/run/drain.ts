import { workflowInfo } from '@temporalio/workflow'
import type { CancellationSource } from '../../../../core/host/index.ts'
import { type ErrorData, RunbookError } from '../../../../core/run-error.ts'
import type { RunStart } from '../../messages.ts'

/** Ends an execution of a run before its history becomes too long. */
export interface Drain {
  isBegun(): boolean
  /** Begins when the history is long enough. */
  look(): void
  /** The same. Throws `Interrupted` once it has begun: the run starts nothing new. */
  check(): void
  /** Throws `Interrupted` once draining has begun. */
  stopHere(): void
  /** Why the run cannot continue as a new execution, and ends in this one. */
  stuck(): ErrorData | undefined
}

/** What draining needs of the run. */
export interface DrainOptions {
  /** Cancelled when draining begins: what waits stops waiting. */
  readonly begun: CancellationSource
  /** The size of the continued state now, in bytes. Undefined: messages have arrived before the run is there. */
  readonly measure: () => number | undefined
  /** Called once when the continued state is too large. */
  readonly onStuck: (reason: ErrorData) => void
}

/** The server ends a run that continues with more than 2 MiB, and the run gets no notice of that. */
export const maxContinuedBytes: number = 2 * 1024 * 1024 - 16 * 1024

/** The server suggests a new execution at this number of events, too. */
const usualMost = 4096

export function createDrain(
  { mostEvents = usualMost }: Pick<RunStart, 'mostEvents'>,
  { begun, measure, onStuck }: DrainOptions,
): Drain {
  let stuck: ErrorData | undefined
  const begin = (): void => {
    const bytes = measure()
    if (bytes === undefined) return
    if (bytes <= maxContinuedBytes) {
      begun.cancel({ code: 'Interrupted', message: 'the history is long enough' })
      return
    }
    stuck = tooLarge(bytes)
    onStuck(stuck)
  }
  const stopHere = (): void => {
    if (begun.reason)
      throw new RunbookError('Interrupted', 'the run continues as a new execution', { notSent: true })
  }
  const look = (): void => {
    const { historyLength, continueAsNewSuggested } = workflowInfo()
    const isTime = historyLength >= mostEvents || continueAsNewSuggested
    if (isTime && !begun.reason && !stuck) begin()
  }
  return {
    isBegun: () => begun.reason !== undefined,
    look,
    check() {
      look()
      stopHere()
    },
    stopHere,
    stuck: () => stuck,
  }
}

/** The error of a run whose continued state has `bytes`. */
export function tooLarge(bytes: number): ErrorData {
  const message = `the state for the next execution of the run can take ${Math.ceil(bytes / 1024)} KiB, over ${maxContinuedBytes / 1024} KiB; return less from steps that are called often, or write it to files with save-as`
  return { code: 'RunStateTooLarge', message }
}
