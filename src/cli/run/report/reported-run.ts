import type { RunOutcome } from '../../../core/interpret.ts'
import type {
  ControlRequestRecord,
  QuestionRecord,
  RecordedStatus,
  StepRecord,
} from '../../../engine/embedded/index.ts'

/** A run as reports show it: one that this process has carried out, or one of the record, which may still go on. */
export interface ReportedRun extends Omit<RunOutcome, 'status'> {
  readonly run_id: string
  readonly runbook: string
  readonly status: RecordedStatus
  readonly started_at: string
  readonly ended_at?: string
  readonly steps: readonly StepRecord[]
  readonly questions?: readonly QuestionRecord[]
  readonly control_requests?: readonly ControlRequestRecord[]
  readonly artifacts_dir: string
}
