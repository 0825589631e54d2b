/**
 * The document that `plan --output json` prints. Scripts depend on it: fields may be added, but no field changes its
 * meaning while `version` is 1. docs/plan.md describes it.
 */
import type { JsonValue } from '../core/json.ts'
import type { AnswerPolicy } from '../core/people/index.ts'
import type { ApprovalTotal, RunbookPreview, Totals, ValuePreview } from '../core/preview/index.ts'

export interface PlanDocument extends RunbookPreview {
  readonly version: 1
  readonly runbook: string
  readonly title?: string
  /** Left out if an action is not checked, since a run may record another hash. */
  readonly plan_hash?: string
  readonly inputs: readonly InputDocument[]
  readonly triggers: readonly TriggerDocument[]
  readonly concurrency?: {
    readonly key: ValuePreview
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
      readonly dedupe_key?: ValuePreview
      readonly cooldown?: { readonly for_ms: number; readonly key?: ValuePreview }
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

export type TriggerInput = ValuePreview & { readonly name: string }

/** The totals of the preview, with who may answer each question. */
export interface TotalsDocument extends Omit<Totals, 'approvals'> {
  readonly approvals: readonly (Omit<ApprovalTotal, 'from'> & {
    /** Who may answer. */
    readonly from?: AnswerPolicy
    /** Why no one can, always or where one of them starts the run. */
    readonly unanswerable?: string
  })[]
}
