/**
 * A runbook as YAML gives it, as far as its shape can be trusted: every key may be missing, whatever the tables say, and
 * a list keeps an empty place for each item that is none.
 */
export interface RunbookYaml {
  readonly name?: string
  readonly title?: string
  readonly description?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly secrets?: readonly unknown[]
  readonly triggers?: readonly (TriggerKeys | undefined)[]
  readonly concurrency?: {
    readonly key?: string
    readonly limit?: number
    readonly 'on-conflict'?: 'skip' | 'reject' | 'wait'
  }
  readonly timeout?: string
  readonly defaults?: {
    readonly retry?: RetryKeys
    readonly throttle?: ThrottleKeys
    readonly connection?: string
    readonly 'attempt-timeout'?: string
  }
  readonly steps?: readonly (StepKeys | undefined)[]
  readonly finally?: readonly (StepKeys | undefined)[]
  readonly outputs?: unknown
}

export interface StepKeys {
  readonly id?: unknown
  readonly name?: string
  readonly description?: string
  readonly if?: boolean | string
  readonly 'for-each'?: ForEachKeys
  readonly timeout?: string
  readonly 'continue-on-error'?: boolean
  readonly catch?: readonly (CatchKeys | undefined)[]
  readonly outputs?: unknown
  readonly uses?: string
  readonly with?: unknown
  readonly connection?: string
  readonly 'attempt-timeout'?: string
  readonly retry?: RetryKeys
  readonly throttle?: ThrottleKeys
  readonly tolerate?: number | string
  readonly expect?: readonly (
    | boolean
    | string
    | { readonly that?: boolean | string; readonly message?: unknown }
    | undefined
  )[]
  readonly repeat?: RepeatKeys
  readonly 'save-as'?: string
  readonly sensitive?: readonly unknown[]
  readonly steps?: readonly (StepKeys | undefined)[]
  readonly finally?: readonly (StepKeys | undefined)[]
  readonly parallel?: readonly (StepKeys | undefined)[]
  readonly 'max-parallel'?: number | string
  readonly 'on-branch-error'?: 'wait-all' | 'cancel-others'
  readonly choose?: readonly (BranchKeys | undefined)[]
}

/** Of a call: `until`, `interval`, `max-wait`. Of a block: all but `max-wait`. */
export interface RepeatKeys {
  readonly until?: boolean | string
  readonly interval?: string
  readonly 'max-wait'?: string
  readonly with?: unknown
  readonly next?: unknown
  readonly 'at-most'?: number
  readonly collect?: unknown
}

export interface BranchKeys {
  readonly when?: boolean | string
  readonly steps?: readonly (StepKeys | undefined)[]
}

export interface ForEachKeys {
  readonly items?: unknown
  readonly as?: string
  readonly 'max-parallel'?: number | string
  readonly tolerate?: number | string
}

export interface RetryKeys {
  readonly attempts?: number | string
  readonly delay?: string
  readonly backoff?: number
  readonly 'max-delay'?: string
  readonly jitter?: number
  readonly errors?: readonly unknown[]
  readonly except?: readonly unknown[]
  readonly when?: boolean | string
}

export interface ThrottleKeys {
  readonly 'max-wait'?: string
}

export interface CatchKeys {
  readonly errors?: readonly unknown[]
  readonly when?: boolean | string
  readonly then?: 'fail'
  readonly steps?: readonly (StepKeys | undefined)[]
}

export interface TriggerKeys {
  readonly type?: 'incident' | 'schedule'
  readonly with?: unknown
  readonly hook?: string
  readonly where?: boolean | string
  readonly 'dedupe-key'?: string
  readonly cooldown?: { readonly key?: string; readonly for?: string }
  readonly 'max-starts'?: { readonly count?: number; readonly per?: string }
  readonly cron?: string
  readonly every?: string
  readonly timezone?: string
  readonly overlap?: 'skip' | 'buffer-one' | 'cancel-other' | 'allow-all'
  readonly 'catch-up'?: string
}
