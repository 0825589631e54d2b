import type { ErrorData } from '../run-error.ts'

/** Why a time of a schedule started no run, or none yet. */
export type NoFireReason =
  /** Nobody was there to start it in time. */
  | 'missed'
  /** A run of the schedule goes on, and `overlap` lets no other begin. */
  | 'overlap'
  /** It waits for the end of the run before it. */
  | 'waits'
  /** What `with` gives does not fit the inputs of the runbook, or cannot be evaluated. */
  | 'inputs_invalid'
  /** A run for the same concurrency key goes on. */
  | 'concurrency'

/** What came of one time of a schedule. */
export interface ScheduleFire {
  /** RFC 3339: the time it was for. */
  readonly at: string
  readonly run_id?: string
  /** Left out: the run was started. */
  readonly because?: NoFireReason
  /** For people. */
  readonly message?: string
  /** Whoever wanted a run outside of its times. */
  readonly started_by?: string
}

/** Nobody wants the schedule to start anything until somebody says so. */
export interface SchedulePause {
  readonly by?: string
  /** RFC 3339. */
  readonly since?: string
  readonly comment?: string
}

/** A schedule as people and programs see it. */
export interface ScheduleRecord {
  readonly id: string
  readonly runbook: string
  /** Place of the trigger in the list of its runbook. */
  readonly trigger: number
  /**
   * `active`, `paused`, `ended` (it has no times any more), `missing` (a runbook names it, and nobody carries it out yet), or
   * `left` (no runbook names it any more).
   */
  readonly state: 'active' | 'paused' | 'ended' | 'missing' | 'left'
  readonly paused?: SchedulePause
  /** RFC 3339: the next five, without jitter. */
  readonly next: readonly string[]
  /** The newest first. */
  readonly last: readonly ScheduleFire[]
  /** How many times were missed, as far as that is on record. */
  readonly missed: number
  /** Why it cannot be carried out. */
  readonly problem?: ErrorData
}
