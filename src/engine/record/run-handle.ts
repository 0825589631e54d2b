import type { TimedRunEvent } from '../../core/events.ts'
import type { RunOutcome } from '../../core/interpret.ts'
import { isExecuted, type RunRecord, type StepRecord } from '../../core/record/index.ts'

/** A run that this process executes or follows. */
export interface RunHandle {
  /** Changes where the start was too late for its `concurrency` key, and joins the run that has it. */
  readonly runId: string
  /**
   * True if the run was started before, with the same key or `concurrency` key. This process only follows it then, and
   * can stop nothing.
   */
  readonly isJoined: boolean
  /**
   * The events of the run, from the start of an iteration. An iteration that starts before the next `await` gets all
   * events. It ends with the run.
   */
  readonly events: AsyncIterable<TimedRunEvent>
  /**
   * The report of the ended run, also for a failure. Rejects only with `Interrupted`, for a joined run that this
   * process stopped following.
   */
  readonly result: Promise<RunReport>
  /**
   * Cancels the run: makes no new calls, cancels reads, awaits writes in flight, and runs `finally`. A second call also
   * skips `finally`.
   */
  cancel(): void
  /** Stops the run at the next safe point, without `finally`. A write in flight is awaited. The run can be resumed. */
  interrupt(): void
}

/** The result of a run as one document. */
export interface RunReport extends RunOutcome {
  readonly run_id: string
  readonly runbook: string
  /** RFC 3339. */
  readonly started_at: string
  /** RFC 3339. */
  readonly ended_at: string
  /** The steps outside of loops. */
  readonly steps: readonly StepRecord[]
  /** The folder with the files that the steps wrote. */
  readonly artifacts_dir: string
}

type Reported = Omit<RunReport, 'status' | 'ended_at' | 'warnings'> &
  Pick<RunRecord, 'status' | 'ended_at' | 'warnings'>

/** The report of a run from its record; undefined while it is executed. `lastSeenAt`: when its process was last seen. */
export function reportOf(record: Reported, lastSeenAt?: string): RunReport | undefined {
  const { run_id, runbook, status, outputs, error, warnings, warnings_left_out } = record
  const { started_at, ended_at, steps, artifacts_dir } = record
  if (isExecuted(status)) return undefined
  return {
    run_id,
    runbook,
    status,
    ...(outputs === undefined ? {} : { outputs }),
    ...(error === undefined ? {} : { error }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(warnings_left_out === undefined ? {} : { warnings_left_out }),
    started_at,
    // A process that died recorded no end. Its last event is the closest time.
    ended_at: ended_at ?? lastSeenAt ?? started_at,
    steps: steps.filter(({ path }) => !path.includes('[')),
    artifacts_dir,
  }
}
