import type { PauseReason } from './attempts.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { ErrorData } from './run-error.ts'

/** How a step ended. */
export type StepStatus = 'succeeded' | 'failed' | 'skipped' | 'cancelled' | 'unknown'

/** How a run ended, or `interrupted`: stopped and resumable. */
export type RunStatus = 'succeeded' | 'failed' | 'cancelled' | 'unknown' | 'interrupted'

/** How much a line of a log matters. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** What happens in a run, as it happens. Times are added by the host, which has the clock. */
export type RunEvent =
  | {
      readonly type: 'run_started'
      readonly runbook: string
      readonly title?: string
      readonly steps: readonly { readonly path: string; readonly name?: string; readonly action: string }[]
    }
  | { readonly type: 'step_started'; readonly path: string; readonly action: string; readonly name?: string }
  | {
      /** How many items a `for-each` has. */
      readonly type: 'items_counted'
      readonly path: string
      readonly total: number
    }
  | {
      readonly type: 'item_finished'
      /** Of the item, such as `hosts[3]`. */
      readonly path: string
      readonly status: StepStatus
    }
  | {
      /** How a batch is split: once for its first round, and once for each round that repeats what failed. */
      readonly type: 'groups_counted'
      readonly path: string
      readonly groups: number
      readonly items: number
    }
  | {
      readonly type: 'attempt_started'
      /** The path of the call: of the step, of one of its groups, of one of its items. */
      readonly path: string
      readonly attempt: number
      readonly action: string
    }
  | {
      readonly type: 'attempt_succeeded'
      readonly path: string
      readonly attempt: number
      readonly request_id?: string
      readonly warnings?: readonly string[]
      /** The answer came from the journal: nothing was sent. */
      readonly from_journal?: boolean
    }
  | {
      readonly type: 'attempt_failed'
      readonly path: string
      readonly attempt: number
      readonly error: ErrorData
      readonly is_repeated: boolean
    }
  | {
      /** What an action has to say while an attempt goes on. */
      readonly type: 'logged'
      readonly path: string
      readonly attempt: number
      readonly level: LogLevel
      readonly message: string
      readonly data?: JsonValue
    }
  | {
      readonly type: 'waiting'
      readonly path: string
      readonly reason: PauseReason | 'budget' | 'target'
      /** Unix time in milliseconds, where it is known. */
      readonly until?: number
    }
  | {
      readonly type: 'step_finished'
      readonly path: string
      readonly status: StepStatus
      readonly attempts: number
      readonly outputs?: JsonValue
      readonly error?: ErrorData
      /** Why it was skipped: the condition, as written. */
      readonly condition?: string
      /** Fields of the outputs that views mask. */
      readonly sensitive?: readonly string[]
    }
  | {
      readonly type: 'run_finished'
      readonly status: RunStatus
      readonly outputs?: JsonObject
      readonly error?: ErrorData
    }

/** An event as listeners get it. */
export type TimedRunEvent = RunEvent & {
  readonly run_id: string
  /** RFC 3339. */
  readonly at: string
}
