import type { TimedRunEvent } from '../../core/events.ts'
import type { RunOutcome } from '../../core/interpret.ts'
import type { StepRecord } from '../../core/record/run-record.ts'

/** A run on its way. */
export interface RunHandle {
  readonly runId: string
  /**
   * It had been started before, with the same key or for the same `concurrency` key: this process only follows it, and
   * stops nothing.
   */
  readonly isJoined: boolean
  /**
   * Everything that happens, from the moment an iteration begins: whoever begins at once gets the whole run. The
   * iteration ends with the run.
   */
  readonly events: AsyncIterable<TimedRunEvent>
  /**
   * How the run ended. Every failure is a report. Rejects only for a joined run that this process stopped following:
   * with `Interrupted`.
   */
  readonly result: Promise<RunReport>
  /**
   * Cancels the run: nothing new is called, reads are given up, writes in flight are awaited, and `finally` is carried
   * out. A second time gives `finally` up as well.
   */
  cancel(): void
  /** Stops at the next safe point, without `finally`: a write in flight is awaited. The run can be resumed. */
  interrupt(): void
}

/** How a run ended, as one document. */
export interface RunReport extends RunOutcome {
  readonly run_id: string
  readonly runbook: string
  /** RFC 3339. */
  readonly started_at: string
  /** RFC 3339. */
  readonly ended_at: string
  /** Those outside of loops. */
  readonly steps: readonly StepRecord[]
  /** The folder with the files that steps made. */
  readonly artifacts_dir: string
}
