/** A runbook as YAML gives it, once its shape has been checked. */
export interface RunbookDocument {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly defaults?: {
    readonly retry?: RetryKeys
    readonly throttle?: ThrottleKeys
    readonly 'attempt-timeout'?: string
  }
  readonly steps: readonly StepKeys[]
  readonly outputs?: unknown
}

export interface StepKeys {
  readonly id: string
  readonly name?: string
  readonly if?: boolean | string
  readonly 'for-each'?: {
    readonly items: unknown
    readonly as?: string
    readonly 'max-parallel'?: number
    readonly tolerate?: number | string
  }
  readonly uses: string
  readonly with?: Readonly<Record<string, unknown>> | string
  readonly 'attempt-timeout'?: string
  readonly retry?: RetryKeys
  readonly throttle?: ThrottleKeys
  readonly tolerate?: number | string
  readonly 'save-as'?: string
}

export interface RetryKeys {
  readonly attempts?: number
  readonly delay?: string
  readonly backoff?: number
  readonly 'max-delay'?: string
  readonly errors?: readonly string[]
  readonly except?: readonly string[]
}

export interface ThrottleKeys {
  readonly 'max-wait'?: string
}
