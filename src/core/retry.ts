import type { Safety } from './action.ts'
import { type ErrorCode, errorRule } from './errors.ts'
import { type ErrorData, isStop, isUnclear } from './run-error.ts'

/** How a failed call is repeated. */
export interface RetryPolicy {
  /**
   * Attempts in all, the first one included.
   * @default 1
   */
  readonly attempts: number
  /**
   * Pause before the first repeat, in milliseconds.
   * @default 1000
   */
  readonly delayMs: number
  /**
   * Factor from one pause to the next.
   * @default 2
   */
  readonly backoff: number
  /**
   * No pause is longer, in milliseconds.
   * @default 30000
   */
  readonly maxDelayMs: number
  /** Repeat these codes. Left out: the codes that the table of errors marks transient. */
  readonly errors?: readonly ErrorCode[]
  /** Never repeat these codes. */
  readonly except?: readonly ErrorCode[]
}

/** How long `RequestTooFrequently` is waited out. */
export interface ThrottlePolicy {
  /**
   * All pauses of one call together, in milliseconds; over it `RequestTooFrequently` is the failure.
   * @default 600000
   */
  readonly maxWaitMs: number
}

export const defaultRetry: RetryPolicy = { attempts: 1, delayMs: 1000, backoff: 2, maxDelayMs: 30_000 }

export const defaultThrottle: ThrottlePolicy = { maxWaitMs: 600_000 }

/** Whether this failure may be repeated: asked for by the policy, and safe for the action. */
export function mayRepeat(error: ErrorData, policy: RetryPolicy, safety: Safety): boolean {
  const { code } = error
  const isWanted = policy.errors?.includes(code) ?? errorRule(code).isTransient
  const isExcepted = policy.except?.includes(code) ?? false
  const isSafe = safety !== 'create' || !isUnclear(error)
  // RequestTooFrequently has been waited out already, for as long as the throttle allows.
  return isWanted && !isExcepted && isSafe && !isStop(code) && code !== 'RequestTooFrequently'
}

/** The pause after this many failed attempts, in milliseconds. */
export function retryDelayMs(policy: RetryPolicy, failedAttempts: number): number {
  return Math.min(policy.delayMs * policy.backoff ** (failedAttempts - 1), policy.maxDelayMs)
}

/** The pause after this many refusals for which the service named no time, in milliseconds. */
export function throttleDelayMs(refusals: number): number {
  return Math.min(1000 * 2 ** (refusals - 1), 30_000)
}
