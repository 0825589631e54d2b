import type { StepStatus } from '../events.ts'
import type { JsonValue } from '../json.ts'
import type { ErrorData } from '../run-error.ts'
import type { Warnings } from '../run-memory.ts'

/** What is remembered of the result of a step, or of an item of a loop. */
export interface RememberedResult {
  readonly status: StepStatus
  /** Calls made, of everything inside together. */
  readonly attempts: number
  /** Left out where nothing reads them any more. */
  readonly outputs?: JsonValue
  readonly error?: ErrorData
  /** It failed, and the steps after it run all the same. */
  readonly isWarning?: true
}

/** Remembers results for the next execution of a run, which does not run or report again what has ended. */
export interface ResultMemory {
  /** The result of a step, or of an item of a loop. `begun`: the item began and has not ended. */
  recall(path: string): RememberedResult | 'begun' | undefined
  /** Remembers that an item of a loop began. */
  begin(path: string): void
  remember(path: string, result: RememberedResult): void
  /** The tolerated failures of all results that can be recalled. */
  readonly warnings: Warnings
}

/** Keeps the working time of places with a time limit, across processes and executions. */
export interface WorkingTimes {
  /**
   * From when on the working time of this place counts for its limit, in Unix milliseconds. Undefined: from its start.
   * A place that failed, and is tried again, has its whole limit again.
   */
  countsFrom(path: string): number | undefined
  /**
   * The working time of this place before this execution, in milliseconds. It includes results that are recalled and
   * attempts that are replayed. Undefined: the record holds all of it.
   */
  workedBefore(path: string): number | undefined
  /** Keeps the working time of this place for the next execution. */
  keep(path: string, workedMs: number): void
}
