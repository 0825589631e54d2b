import type { Identity } from '../record/identity.ts'
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
  /** A run of the runbook goes on for the same concurrency key. */
  | 'concurrency'

/** What came of one time of a schedule. */
export interface ScheduleFire {
  /** RFC 3339: the time it was for. */
  readonly at: string
  /** The run that was started; with `because`, the one on account of which none was. */
  readonly run_id?: string
  /** Left out: the run was started. */
  readonly because?: NoFireReason
  /** For people. */
  readonly message?: string
  /** Whoever wanted a run outside of its times. */
  readonly started_by?: Identity
}

/** Nobody wants the schedule to start anything until somebody says so. */
export interface SchedulePause {
  readonly by?: Identity
  /** RFC 3339. */
  readonly since?: string
  readonly comment?: string
}

/** When a schedule starts, and what happens when the last run is still running. */
export interface ScheduleRhythm {
  readonly cron?: string
  readonly every_ms?: number
  readonly timezone: string
  readonly overlap: 'skip' | 'buffer-one' | 'cancel-other' | 'allow-all'
}

/**
 * How a schedule stands: `active`, `paused`, `ended` (it has no times any more), `missing` (a runbook names it, and nobody
 * carries it out yet), `left` (no runbook names it any more), or `broken` (what it gives is no input of its runbook).
 */
export type ScheduleState = 'active' | 'paused' | 'ended' | 'missing' | 'left' | 'broken'

/** A schedule as people and programs see it. */
export interface ScheduleRecord extends Partial<ScheduleRhythm> {
  readonly id: string
  readonly runbook: string
  /** Place of the trigger in the list of its runbook. */
  readonly trigger: number
  readonly state: ScheduleState
  /** A living `opsbook serve` carries it out. */
  readonly is_served?: boolean
  readonly paused?: SchedulePause
  /** Why it is broken. */
  readonly problem?: string
  /** RFC 3339: the next five, without jitter. */
  readonly next: readonly string[]
  /** What came of its last times, the newest first. */
  readonly last: readonly ScheduleFire[]
  /** How many times were missed, as far as that is on record. */
  readonly missed: number
  /** How many times started nothing on account of the run before; left out where each of them is told. */
  readonly overlapped?: number
}
