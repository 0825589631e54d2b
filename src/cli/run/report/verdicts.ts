import { isCarriedOut } from '../../../core/record/run-record.ts'
import type { RecordedStatus } from '../../../engine/embedded/index.ts'
import type { Sign } from '../follow/step-sign.ts'
import type { ReportedRun } from './reported-run.ts'

/** The sign of a run, by its status. */
export const verdictSigns: Readonly<Record<RecordedStatus, Sign>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
  unknown: 'unknown',
  interrupted: 'failed',
  queued: 'waiting',
  running: 'running',
  waiting: 'waiting',
  paused: 'waiting',
}

const verdicts: Readonly<Record<RecordedStatus, string>> = {
  succeeded: 'succeeded after',
  failed: 'failed after',
  cancelled: 'cancelled after',
  unknown: 'needs a decision after',
  interrupted: 'interrupted after',
  queued: 'waits to be begun for',
  running: 'goes on for',
  waiting: 'waits for a person; goes on for',
  paused: 'is paused; goes on for',
}

/** Somebody has cancelled it, and its process is on the way to that end. */
export function isBeingCancelled({
  status,
  control_requests = [],
}: Pick<ReportedRun, 'status' | 'control_requests'>): boolean {
  const isWanted = control_requests.some(
    ({ kind, taken_at, over_at }) =>
      (kind === 'cancel' || kind === 'cancel-now') && taken_at !== undefined && over_at === undefined,
  )
  return isWanted && isCarriedOut(status)
}

/** What is said of a run before the time it took. */
export function verdictText(run: Pick<ReportedRun, 'status' | 'control_requests'>): string {
  return isBeingCancelled(run) ? 'is being cancelled; goes on for' : verdicts[run.status]
}
