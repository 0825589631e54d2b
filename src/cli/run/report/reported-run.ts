import type { JsonObject } from '../../../core/json.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import type { QuestionRecord, RecordedStatus, StepRecord } from '../../../engine/embedded/index.ts'

/** A run as reports show it: one that this process has carried out, or one of the record, which may still go on. */
export interface ReportedRun {
  readonly run_id: string
  readonly runbook: string
  readonly status: RecordedStatus
  readonly outputs?: JsonObject
  readonly error?: ErrorData
  readonly warnings?: readonly ErrorData[]
  readonly warnings_left_out?: number
  readonly started_at: string
  readonly ended_at?: string
  readonly steps: readonly StepRecord[]
  readonly questions?: readonly QuestionRecord[]
  readonly artifacts_dir: string
}
