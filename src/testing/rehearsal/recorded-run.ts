import type { AttemptRecord, RunRecord } from '../../core/record/index.ts'

/** A run that has ended, with everything that a rehearsal reads of it. */
export interface RecordedRun {
  readonly run: Pick<
    RunRecord,
    | 'run_id'
    | 'started_at'
    | 'started_by'
    | 'status'
    | 'error'
    | 'inputs'
    | 'outputs'
    | 'plan'
    | 'questions'
    | 'control_requests'
  > &
    Partial<Pick<RunRecord, 'resumes'>>
  readonly attempts: Iterable<AttemptRecord>
}
