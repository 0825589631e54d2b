import type { Identity } from '../../core/record/identity.ts'
import type { StartedFrom } from '../../core/record/started-from.ts'
import type { ErrorData } from '../../core/run-error.ts'
import type { ScheduledStart } from './messages.ts'

/** What stands beside a run on the server, so that lists need no worker. Payloads: covered by the codec, if there is one. */
export interface RunMemo {
  readonly title?: string
  readonly key?: string
  readonly planHash: string
  /** Tells a second start with the same inputs from one with others. */
  readonly inputsHash: string
  readonly startedBy: Identity
  /** Left out by runs of schedules: when their workflow was started. */
  readonly startedAtMs?: number
  /** Of a run that a schedule has just started, without the time it was for: the server writes that. */
  readonly startedFrom?: StartedFrom | ScheduledStart['scheduled']
  /** Of a schedule: tells whether it is as it should be. */
  readonly scheduleHash?: string
  readonly connection?: string
  /** Of the start that made the run: another one has joined it. */
  readonly startToken: string
  /** How it ended, where it did not end well. Written by the run itself. */
  readonly error?: ErrorData
}
