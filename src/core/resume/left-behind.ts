import type { RunEvent } from '../events.ts'
import type { StepRecord } from '../record/run-record.ts'
import type { CallName, ReusableResult } from './reusable-results.ts'

/** A step as the record had it until the run was resumed. */
export type StepBefore = Pick<StepRecord, 'path' | 'status' | 'error' | 'is_warning'>

/** What a run has left behind, once all its calls have been set aside. */
export interface LeftBehind {
  readonly reusables: readonly ReusableResult[]
  readonly steps: readonly StepBefore[]
  /** The paths of answered questions and finished waits, without open questions. */
  readonly reached: Iterable<string>
  readonly events: Iterable<RunEvent>
  /** The completed calls of steps that begin anew. */
  readonly madeAnew: readonly Pick<CallName, 'path' | 'action'>[]
  /** The run was not changed and continues where it stopped. `failed`: what made it fail is tried again. */
  readonly plain: 'failed' | 'stopped' | undefined
}
