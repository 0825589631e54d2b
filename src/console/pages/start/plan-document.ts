import type { JsonValue } from '../../../core/json.ts'
import type { AnswerPolicy } from '../../../core/people/index.ts'

/** The document of `plan --output json`: the fields that pages use. */
export interface PlanDocument {
  readonly runbook: string
  readonly title?: string
  readonly inputs: readonly {
    readonly name: string
    readonly state: 'given' | 'default' | 'not_given' | 'missing'
    readonly value?: JsonValue
  }[]
  readonly steps: readonly PlannedStep[]
  readonly finally: readonly PlannedStep[]
  readonly totals: PlanTotals
  readonly problems: readonly { readonly path: string; readonly message: string }[]
  readonly concurrency?: { readonly limit: number; readonly on_conflict: string; readonly key: PlannedValue }
  readonly outside?: { readonly steps: readonly { readonly path: string }[] }
}

/** `most` is null if the number is known only when the run executes. */
export interface PlannedCalls {
  readonly least: number
  readonly most: number | null
}

export interface PlannedStep {
  readonly path: string
  readonly name?: string
  readonly runs: 'yes' | 'no' | 'open'
  readonly condition?: { readonly source: string }
  readonly uses?: {
    readonly action: string
    readonly risk: string
    readonly connection?: string
    readonly arguments: readonly (PlannedValue & { readonly name: string })[]
    readonly child?: { readonly steps: readonly PlannedStep[] }
  }
  readonly calls: PlannedCalls
  readonly steps: readonly PlannedStep[]
  readonly branches?: readonly { readonly steps: readonly PlannedStep[] }[]
  readonly catch: readonly { readonly steps: readonly PlannedStep[] }[]
  readonly finally: readonly PlannedStep[]
}

/** A value that is known, or the expression that makes it. */
export interface PlannedValue {
  readonly state: 'known' | 'open' | 'failed' | 'secret'
  readonly value?: JsonValue
  readonly source?: string
  readonly secret?: string
}

export interface PlanTotals {
  readonly calls: PlannedCalls
  readonly calls_by_risk: Readonly<Record<'read' | 'idempotent' | 'create', PlannedCalls>>
  readonly shortest_ms: number
  readonly shortest_if_every_condition_holds_ms: number
  readonly approvals: readonly {
    readonly path: string
    readonly message?: PlannedValue
    readonly certain: boolean
    /** Who may answer. Left out: everyone who may decide. */
    readonly from?: AnswerPolicy
    readonly unanswerable?: string
  }[]
  readonly secrets: readonly { readonly name: string; readonly steps: readonly string[] }[]
}
