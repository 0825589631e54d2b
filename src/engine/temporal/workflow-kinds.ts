import { concurrencyLockType } from './concurrency/messages.ts'
import { eventBookType } from './events/messages.ts'
import { rateLimiterType, targetLockType } from './limiter/messages.ts'
import { cancellerType, noticeType } from './messages.ts'
import { isRunType } from './run-type.ts'
import { scheduledType } from './schedules/messages.ts'

/** What workflows of a type are for. */
export interface WorkflowKind {
  /** In the plural. */
  readonly name: string
  /** What stops while one cannot continue. */
  readonly stops: string
}

const runs: WorkflowKind = { name: 'runs', stops: 'the run' }

/** Those of every type that workers register by its name. */
const kinds: Readonly<Record<string, WorkflowKind>> = {
  [rateLimiterType]: { name: 'rate limiters', stops: 'every call of the operations that it counts' },
  [targetLockType]: { name: 'target locks', stops: 'every call to its target' },
  [concurrencyLockType]: { name: 'concurrency locks', stops: 'every other run of its concurrency key' },
  [eventBookType]: { name: 'event stores', stops: 'all events, and the runs that they start' },
  [scheduledType]: { name: 'scheduled starts', stops: 'the run of this time of its schedule' },
  [noticeType]: { name: 'notifications', stops: 'the messages to people about its run' },
  [cancellerType]: { name: 'cancellers', stops: 'the end of a cancelled run' },
}

/** What workflows of a type are for; one that workers do not register stops by itself alone. */
export function kindOf(workflowType: string): WorkflowKind {
  if (isRunType(workflowType)) return runs
  return kinds[workflowType] ?? { name: workflowType, stops: 'the workflow' }
}
