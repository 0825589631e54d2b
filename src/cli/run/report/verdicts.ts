import type { RecordedStatus } from '../../../engine/embedded/index.ts'
import type { Sign } from '../follow/step-sign.ts'

/** The sign of a run, by its status. */
export const verdictSigns: Readonly<Record<RecordedStatus, Sign>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
  unknown: 'unknown',
  interrupted: 'cancelled',
  running: 'running',
  waiting: 'waiting',
  paused: 'waiting',
}

/** What is said of a run before the time it took. */
export const verdicts: Readonly<Record<RecordedStatus, string>> = {
  succeeded: 'succeeded after',
  failed: 'failed after',
  cancelled: 'cancelled after',
  unknown: 'needs a decision after',
  interrupted: 'interrupted after',
  running: 'goes on for',
  waiting: 'waits for a person; goes on for',
  paused: 'is paused; goes on for',
}
