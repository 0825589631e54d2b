/**
 * Messages between a schedule of a runbook with `concurrency`, the workflow it starts, and the readers of its
 * result.
 */
import type { ScheduleFire } from '../../../core/triggers/index.ts'
import type { ScheduledStart } from '../messages.ts'
import type { ListedRun } from '../run-listing.ts'

/** Name of the workflow type that starts the run of one time of a schedule, unless another run has its concurrency key. */
export const scheduledType = 'opsbookScheduled'

/** The prefix of the id of that workflow, before the id of the run. */
export const scheduledPrefix = 'opsbook-scheduled/'

/** What {@link scheduledType} is started with. */
export interface ScheduledOrder {
  readonly start: ScheduledStart
  readonly listed: ListedRun
}

/** The memo of that workflow. */
export interface ScheduledMemo {
  /** The result of the time. Left out: no worker has picked it up. */
  readonly fire?: Omit<ScheduleFire, 'at'>
}
