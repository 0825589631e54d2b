import type { Identity } from '../events.ts'
import type { TriggerPlan } from '../plan/plan.ts'

/** Why a time of a schedule started no run, or none yet. */
export type NoFireReason =
  /** No process served it in time. */
  | 'missed'
  /** A run of the schedule is in progress, and `overlap` permits no second one. */
  | 'overlap'
  /** It waits for the end of the run before it. */
  | 'waits'
  /** What `with` gives does not fit the inputs of the runbook, or cannot be evaluated. */
  | 'inputs_invalid'
  /** A run of the runbook is in progress for the same concurrency key. */
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
  /** The user who started a run outside of the times. */
  readonly started_by?: Identity
}

/** Paused: the schedule starts nothing until a user resumes it. */
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
 * The state of a schedule: `active`, `paused`, `missing` (a runbook names it, and no
 * process serves it yet), `left` (no runbook names it any more), or `broken` (its inputs do not fit its runbook).
 */
export type ScheduleState = 'active' | 'paused' | 'missing' | 'left' | 'broken'

/** A schedule as people and programs see it. */
export interface ScheduleRecord extends Partial<ScheduleRhythm> {
  readonly id: string
  readonly runbook: string
  /** Place of the trigger in the list of its runbook. */
  readonly trigger: number
  readonly state: ScheduleState
  /** A running `opsbook serve` executes it. */
  readonly is_served?: boolean
  readonly paused?: SchedulePause
  /** Why it is broken. */
  readonly problem?: string
  /** RFC 3339: the next five. */
  readonly next: readonly string[]
  /** What came of its last times, the newest first. */
  readonly last: readonly ScheduleFire[]
  /** How many times were missed, as far as that is on record. */
  readonly missed: number
  /** How many times started nothing because of the run before; left out where each of them is listed. */
  readonly overlapped?: number
}

/** What people want to see of the times of a schedule. */
export function rhythmOf({
  cron,
  everyMs,
  timezone,
  overlap,
}: TriggerPlan & { readonly type: 'schedule' }): ScheduleRhythm {
  return {
    ...(cron === undefined ? {} : { cron }),
    ...(everyMs === undefined ? {} : { every_ms: everyMs }),
    timezone,
    overlap,
  }
}

/** How messages name a trigger: by its position in the list of the runbook, counted from 1. */
export function triggerText(place: number): string {
  return `trigger ${place + 1}`
}
