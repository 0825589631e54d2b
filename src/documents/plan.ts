/**
 * The document that `plan --output json` prints. Scripts depend on it: fields may be added, but no field changes its
 * meaning while `version` is 1. docs/plan.md describes it.
 */
import type { PlannedCovers } from '../core/approval/index.ts'
import type { JsonValue } from '../core/json.ts'
import type { AnswerPolicy } from '../core/people/index.ts'

export interface PlanDocument extends RunbookPlanDocument {
  readonly version: 1
  readonly runbook: string
  readonly title?: string
  /** Left out if an action is not checked, since a run may record another hash. */
  readonly plan_hash?: string
  readonly inputs: readonly InputDocument[]
  readonly triggers: readonly TriggerDocument[]
  readonly concurrency?: {
    readonly key: ValueDocument
    readonly limit: number
    readonly on_conflict: 'skip' | 'reject' | 'wait'
  }
  readonly timeout_ms?: number
  /** The addresses that steps may send HTTP requests to, if a step sends any. */
  readonly http?: { readonly allow: readonly string[] | null; readonly deny_private: boolean }
  /** Where commands may run, if a step runs any. */
  readonly commands?: { readonly local: boolean; readonly ssh: readonly string[] }
  /** With `--sandbox`: what would leave it, and is refused without `--allow-outside`. */
  readonly outside?: OutsideDocument
  readonly totals: TotalsDocument
  /** Actions of the project that are not loaded, with the modules that may define them. */
  readonly not_checked: readonly { readonly action: string; readonly modules: readonly string[] }[]
  readonly problems: readonly { readonly path: string; readonly message: string }[]
}

export interface OutsideDocument {
  /** The steps that would leave the sandbox. A run that can reach one of them is refused. */
  readonly steps: readonly { readonly path: string; readonly action: string }[]
  /** Number of `notify` targets. Notifications to them are not sent. */
  readonly notifications: number
}

export interface InputDocument {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly state: 'given' | 'default' | 'not_given' | 'missing'
  readonly value?: JsonValue
}

/** A trigger of the runbook. Times are RFC 3339, in UTC. */
export type TriggerDocument =
  | {
      readonly type: 'incident'
      readonly hook?: string
      readonly where?: string
      readonly dedupe_key?: ValueDocument
      readonly cooldown?: { readonly for_ms: number; readonly key?: ValueDocument }
      readonly max_starts: { readonly count: number; readonly per_ms: number }
      readonly inputs: readonly TriggerInput[]
    }
  | {
      readonly type: 'schedule'
      readonly cron?: string
      readonly every_ms?: number
      readonly timezone: string
      readonly overlap: 'skip' | 'buffer-one' | 'cancel-other' | 'allow-all'
      readonly catch_up_ms: number
      readonly next: readonly string[]
      readonly inputs: readonly TriggerInput[]
    }

export type TriggerInput = ValueDocument & { readonly name: string }

/** `most` is null if the number is known only when the run executes. */
export interface CallsDocument {
  readonly least: number
  readonly most: number | null
}

export type ValueDocument =
  | { readonly state: 'known'; readonly value: JsonValue }
  | {
      readonly state: 'open'
      readonly source: string
      readonly needs: readonly string[]
      readonly members?: readonly (ValueDocument & { readonly name: string })[]
    }
  | { readonly state: 'failed'; readonly source: string; readonly message: string }
  | { readonly state: 'secret'; readonly secret: string }

export interface LimitDocument {
  readonly per: 'account' | 'app_key' | 'connection'
  readonly per_second?: number
  readonly per_minute?: number
  readonly per_day?: number
}

/** A number, or while an input that decides it is missing, the expression. */
export type SettingDocument = number | { readonly source: string }

export type ToleranceDocument = number | string

export interface StepDocument {
  readonly path: string
  readonly id: string
  readonly name?: string
  readonly kind: 'uses' | 'block' | 'parallel' | 'choose'
  readonly runs: 'yes' | 'no' | 'open'
  readonly condition?: ConditionDocument
  readonly for_each?: {
    readonly items: ValueDocument
    readonly count: number | null
    readonly as: string
    readonly max_parallel: SettingDocument
    readonly tolerate: ToleranceDocument
    readonly calls_per_item: CallsDocument
  }
  /** Of a block: it runs once, and then until the condition is true. */
  readonly repeat?: {
    readonly at_most: number
    readonly until: string
    readonly interval_ms: SettingDocument
    readonly calls_per_turn: CallsDocument
  }
  readonly uses?: UsesDocument
  readonly calls: CallsDocument
  readonly shortest_ms?: number
  readonly timeout_ms?: number
  readonly continue_on_error: boolean
  readonly max_parallel?: SettingDocument
  readonly steps: readonly StepDocument[]
  /** The branches of `choose`. */
  readonly branches?: readonly BranchDocument[]
  readonly catch: readonly CatchDocument[]
  readonly finally: readonly StepDocument[]
}

export interface ConditionDocument {
  readonly source: string
  readonly state: 'true' | 'false' | 'open' | 'failed'
  readonly needs: readonly string[]
}

export interface BranchDocument {
  /** Left out: the branch runs when no other one does. */
  readonly when?: ConditionDocument
  /** Whether the branch runs, if its step does. */
  readonly runs: 'yes' | 'no' | 'open'
  readonly steps: readonly StepDocument[]
}

export interface UsesDocument {
  readonly action: string
  readonly risk: 'local' | 'read' | 'idempotent' | 'create'
  readonly connection?: string
  readonly limits?: LimitDocument
  readonly arguments: readonly (ValueDocument & { readonly name: string })[]
  readonly child?: RunbookPlanDocument
  readonly batch?: { readonly argument: string; readonly size: number; readonly items: number | null }
  readonly save_as?: ValueDocument
  readonly sensitive?: readonly string[]
  readonly retry: {
    readonly attempts: SettingDocument
    readonly errors?: readonly string[]
    readonly except?: readonly string[]
    readonly when?: string
  }
  readonly tolerate: ToleranceDocument
  readonly attempt_timeout_ms?: number
  readonly repeat?: {
    readonly until: string
    readonly interval_ms: SettingDocument
    readonly max_wait_ms: SettingDocument
  }
  readonly listen?: { readonly hook?: string; readonly callback?: string; readonly where?: string }
  readonly expect: readonly string[]
  readonly secrets: readonly string[]
}

export interface RunbookPlanDocument {
  readonly steps: readonly StepDocument[]
  readonly finally: readonly StepDocument[]
}

export interface CatchDocument {
  readonly errors: readonly string[]
  readonly when?: string
  readonly steps: readonly StepDocument[]
  readonly keeps_failure?: true
}

export interface TotalsDocument {
  readonly calls: CallsDocument
  readonly calls_by_risk: Readonly<Record<'read' | 'idempotent' | 'create', CallsDocument>>
  readonly actions: readonly {
    readonly action: string
    readonly connection?: string
    readonly risk: string
    readonly limits?: LimitDocument
    readonly calls: CallsDocument
  }[]
  readonly shortest_ms: number
  readonly shortest_if_every_condition_holds_ms: number
  readonly approvals: readonly {
    readonly path: string
    readonly message?: ValueDocument
    readonly certain: boolean
    /** Who may answer. */
    readonly from?: AnswerPolicy
    /** Why no one can, always or where one of them starts the run. */
    readonly unanswerable?: string
    /** How long the step waits, and what an answer is taken for then. */
    readonly timeout?: ValueDocument
    readonly on_timeout?: ValueDocument
    /** The steps whose writes a yes covers. */
    readonly covers?: PlannedCovers
  }[]
  readonly secrets: readonly { readonly name: string; readonly steps: readonly string[] }[]
}
