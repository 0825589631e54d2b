/** One call of an action with all its attempts: in groups, repeated, throttled, with an outcome that may be unknown. */
export type { AttemptResult, Call } from './attempts.ts'
export { callAction } from './call-action.ts'
export { callFingerprint } from './call-fingerprint.ts'
export { defaultRetry, defaultThrottle, mayRepeat } from './retry.ts'
export { shortError } from './short-error.ts'
export { shownInput } from './shown-input.ts'
export { hasSentNothing, isUnresolvedCreate, unknownOutcome } from './unknown-outcome.ts'
