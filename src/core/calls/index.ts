/** One call of an action with all its attempts: in groups, repeated, throttled, with an outcome that may be unknown. */
export type { AttemptResult, Call } from './attempts.ts'
export type { Tolerance } from './batch.ts'
export { callAction } from './call-action.ts'
export {
  defaultRetry,
  defaultThrottle,
  mayRepeat,
  type RetryPolicy,
  type ThrottlePolicy,
} from './retry.ts'
export { hasSentNothing, isUnresolvedCreate, unknownOutcome } from './unknown-outcome.ts'
