import type { JsonObject, JsonValue } from './json.ts'

import type { ErrorData } from './run-error.ts'

/** How a step ended. */
export type StepStatus = 'succeeded' | 'failed' | 'skipped' | 'cancelled' | 'unknown'

/** How a run ended, or `interrupted`: stopped and resumable. */
export type RunStatus = 'succeeded' | 'failed' | 'cancelled' | 'unknown' | 'interrupted'

/**
 * Why a step waits: between two attempts (`retry`, `throttle`), before one (`budget`, `target`), between two polls, for
 * a person (`approval`, `answer`), for `core/wait`, for an event, or for the end of a pause. `timeout` watches a time limit, and views do not show it.
 */
export type WaitReason = (typeof waitReasons)[number]
export const waitReasons = [
  'retry',
  'throttle',
  'budget',
  'target',
  'poll',
  'approval',
  'answer',
  'wait',
  'event',
  'pause',
  'timeout',
] as const

/** Whether a step waits for a person. */
export function isForPerson(reason: WaitReason): boolean {
  return reason === 'approval' || reason === 'answer'
}

/** How much a line of a log matters. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Who did something, and how that is known. */
export interface Identity {
  /** What views call them. */
  readonly name: string
  /**
   * Where the name comes from. `console`: a login. `token`, `agent`: a token of a person, or of a program. `flag`: what
   * `--by` claims. `server`: it was cancelled there. `timeout`: no answer came.
   */
  readonly source: 'system-user' | 'console' | 'token' | 'agent' | 'flag' | 'server' | 'timeout'
  /** The name was checked when it was recorded. A name of `--by` never is. Left out: it was not. */
  readonly verified?: true
  /** Names the person at the provider that logged them in, whatever their name is there. Left out: it has no such id. */
  readonly id?: string
  /** The system user of the process that they used, whatever name they gave. Left out: it was no person. */
  readonly user?: string
}

/** The items of a loop or batch that failed, by what they say; those of unknown outcome are none of them. */
export interface FailedItems {
  readonly total: number
  readonly failed: number
  /** The first ten kinds. */
  readonly kinds: readonly FailureKind[]
}

/** What some items of a loop or batch failed with. */
export interface FailureKind extends Pick<ErrorData, 'code' | 'message'> {
  /** What a batch knows the item by. */
  readonly item?: string
  /** Position of the first of them. */
  readonly index: number
  readonly count: number
  /** Of a loop: where the first three of them failed. */
  readonly paths?: readonly string[]
}

/** A failure that a run let pass. */
export interface Warning extends ErrorData {
  /**
   * Of items that a loop or batch tolerates: how many failed so in all passes of the step, what the batch knows them by,
   * and the first three places. The rest is of the first of them.
   */
  readonly failed_items?: {
    readonly count: number
    readonly name?: string
    readonly paths: readonly string[]
  }
}

/** What happens in a run, as it happens. Times are added by the host, which has the clock. */
export type RunEvent =
  | {
      readonly type: 'run_started'
      readonly runbook: string
      readonly title?: string
      readonly steps: readonly { readonly path: string; readonly name?: string; readonly action: string }[]
      /** The values of sensitive inputs, and the tokens of callbacks: views mask them everywhere. */
      readonly sensitive?: readonly string[]
    }
  | {
      /**
       * A control request: cancel the run, pause it, or continue it. The host reports it before its effects.
       */
      readonly type: 'run_cancelling' | 'run_paused' | 'run_unpaused'
      readonly by: Identity
      readonly comment?: string
      /** Of `run_cancelling`: clean-up is abandoned as well. */
      readonly is_now?: true
    }
  | {
      /** A step runs a runbook that marks inputs as sensitive: views mask their values everywhere. */
      readonly type: 'inputs_hidden'
      readonly path: string
      readonly sensitive: readonly string[]
    }
  | {
      /** What a step without attempts has computed, where its runbook marks it as sensitive: views mask it everywhere. */
      readonly type: 'outputs_hidden'
      readonly path: string
      readonly sensitive: readonly string[]
    }
  | { readonly type: 'step_started'; readonly path: string; readonly action: string; readonly name?: string }
  | {
      /** How many items a `for-each` has, or how many turns a repeated block has at most. */
      readonly type: 'items_counted'
      readonly path: string
      readonly total: number
      /** They are turns, and fewer may be enough. */
      readonly is_limit?: true
    }
  | {
      readonly type: 'item_started'
      /** Of the item, such as `hosts[3]`. */
      readonly path: string
      /** The item itself. A turn has none. Of a map of more than 1,000 bytes its small members, of anything else so large its size. */
      readonly item?: JsonValue
    }
  | {
      readonly type: 'item_finished'
      /** Of the item, such as `hosts[3]`. */
      readonly path: string
      readonly status: StepStatus
      /** Of a batch that is called for each item. Left out: none failed. */
      readonly failed_items?: FailedItems
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
      /** What a create in a loop made; shortened like an item. The outputs of its loop may not hold it. */
      readonly made?: JsonValue
      /** The answer came from the journal: nothing was sent. */
      readonly from_journal?: boolean
      /** The values of the answer that the action marks as sensitive: views mask them everywhere. */
      readonly sensitive?: readonly string[]
    }
  | {
      readonly type: 'attempt_failed'
      readonly path: string
      readonly attempt: number
      readonly error: ErrorData
      readonly is_repeated: boolean
    }
  | {
      /** A message of an action during an attempt. */
      readonly type: 'logged'
      readonly path: string
      /** Left out by `core/log`, which makes none. */
      readonly attempt?: number
      readonly level: LogLevel
      readonly message: string
      readonly data?: JsonValue
    }
  | {
      readonly type: 'waiting'
      readonly path: string
      readonly reason: WaitReason
      /** Unix time in milliseconds, where it is known. */
      readonly until?: number
      /** What a person is asked; the source of an event; of a batch, what failed and is retried. */
      readonly message?: string
      /** How many calls a yes permits. */
      readonly calls?: number
      /** How many steps make writes that a yes does not permit. */
      readonly not_covered?: number
    }
  | {
      /** A person has answered. Where several must, the question is settled by a no, or when `count` is `needed`. */
      readonly type: 'answered'
      readonly path: string
      readonly approved: boolean
      /** What was asked for. */
      readonly value?: JsonValue
      readonly by: Identity
      readonly comment?: string
      /** How many people have given this answer. Left out with `needed`: one is enough. */
      readonly count?: number
      readonly needed?: number
    }
  | {
      readonly type: 'step_finished'
      readonly path: string
      readonly status: StepStatus
      readonly attempts: number
      /** Of `choose`: the position of the branch that counted, from 0. */
      readonly branch?: number
      readonly outputs?: JsonValue
      readonly error?: ErrorData
      /** It failed, and the run continues: `continue-on-error`. */
      readonly is_warning?: boolean
      /** It failed, and its `catch` took the place of the failure, which was this. */
      readonly caught?: ErrorData
      /** Left out: none failed. */
      readonly failed_items?: FailedItems
      /** Why it was skipped: the condition, as written. */
      readonly condition?: string
      /** Why it was skipped: the values that the condition read, by their paths. */
      readonly values?: JsonObject
    }
  | {
      readonly type: 'run_finished'
      readonly status: RunStatus
      readonly outputs?: JsonObject
      readonly error?: ErrorData
      /** The first 100 failures that `continue-on-error` or `tolerate` let pass, each with the path of its step. */
      readonly warnings?: readonly Warning[]
      /** How many there were besides; left out: none. */
      readonly warnings_left_out?: number
    }

/** An event as listeners get it. */
export type TimedRunEvent = RunEvent & {
  readonly run_id: string
  /** RFC 3339. */
  readonly at: string
}
