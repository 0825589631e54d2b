import type { RunRehearsal } from '../../testing/index.ts'
import type { TriggeredRunbook } from '../../triggers/evaluate/index.ts'
import type { EventsRehearsal } from './rehearse-events.ts'

/** A rehearsal of the runs of a runbook. */
export interface Rehearsal {
  readonly runbook: TriggeredRunbook
  /** Unix time in milliseconds. Left out: the runs were named. */
  readonly sinceMs?: number
  /** The newest first. */
  readonly runs: readonly RunRehearsal[]
  /** How many runs of that time have not ended. */
  readonly notEnded: number
  /** Left out: the runbook has no triggers for events, or none came. */
  readonly events?: EventsRehearsal
}
