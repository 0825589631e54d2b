import type { ActionDescription } from './action.ts'
import type { Tolerance } from './batch.ts'
import type { Expression, Template } from './expressions/tree.ts'
import type { JsonSchema } from './json.ts'
import type { RetryPolicy, ThrottlePolicy } from './retry.ts'

/** A runbook, compiled: plain JSON that an engine can keep, send and run without the file it came from. */
export interface Plan {
  readonly language: 'opsbook/v1'
  /** SHA-256 of the plan without this field, in hex: two plans with one hash do the same. */
  readonly hash: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputs?: JsonSchema
  readonly steps: readonly StepPlan[]
  readonly outputs?: Template
}

/** One step of a plan. */
export interface StepPlan {
  readonly id: string
  readonly name?: string
  readonly if?: Expression
  readonly forEach?: ForEachPlan
  readonly uses: UsesPlan
}

export interface ForEachPlan {
  readonly items: Template
  /** Under which name the body sees the item. */
  readonly as: string
  readonly maxParallel: number
  readonly tolerate: Tolerance
}

/** The call of an action. What the action is has been looked up when the plan was made. */
export interface UsesPlan {
  readonly action: Pick<ActionDescription, 'name' | 'safety' | 'batch' | 'sensitiveOutput'>
  readonly with: Template
  readonly retry: RetryPolicy
  readonly throttle: ThrottlePolicy
  readonly tolerate: Tolerance
  readonly saveAs?: Template
  readonly attemptTimeoutMs?: number
}
