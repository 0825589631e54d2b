/** What passes between a schedule of a runbook with `concurrency`, the workflow that it starts, and those who look at what came of it. */
import type { ScheduleFire } from '../../../core/triggers/schedule-record.ts'
import type { ConcurrencyOrder, ListedRun } from '../concurrency/messages.ts'
import type { ScheduledStart } from '../messages.ts'

/** Name of the workflow type that starts the run of one time of a schedule through the lock workflow of its concurrency key. */
export const scheduledType = 'opsbookScheduled'

/** Stands before the id of the run in the id of that workflow. */
export const scheduledPrefix = 'opsbook-scheduled/'

/** What {@link scheduledType} is started with. */
export interface ScheduledOrder {
  readonly start: ScheduledStart
  readonly listed: ListedRun
  readonly alone: ConcurrencyOrder
}

/** What stands beside that workflow on the server. */
export interface ScheduledMemo {
  /** What came of the time. Left out: no worker has looked yet. */
  readonly fire?: Omit<ScheduleFire, 'at'>
}
