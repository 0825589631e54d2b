import type { Safety } from '../action.ts'
import { errorRule } from '../errors.ts'
import type { RetryPolicy, ThrottlePolicy } from '../plan/plan.ts'
import { type ErrorData, isStop, leavesOutcomeUnknown } from '../run-error.ts'

export const defaultRetry: RetryPolicy = { attempts: 1, delayMs: 1000, backoff: 2, maxDelayMs: 30_000 }

export const defaultThrottle: ThrottlePolicy = { maxWaitMs: 600_000 }

/**
 * Whether this failure may be repeated: asked for by the policy, and safe for the action. `when` decides last, and in
 * place of the usual codes.
 */
export function mayRepeat(
  error: ErrorData,
  policy: RetryPolicy,
  safety: Safety,
  when?: (error: ErrorData) => boolean,
): boolean {
  const { code } = error
  const isWanted = policy.errors?.includes(code) ?? (when !== undefined || errorRule(code).isTransient)
  const isExcepted = policy.except?.includes(code) ?? false
  const isSafe = safety !== 'create' || !leavesOutcomeUnknown(error)
  // RequestTooFrequently has been waited out already, for as long as the throttle allows.
  const isOpen = isWanted && !isExcepted && isSafe && !isStop(code) && code !== 'RequestTooFrequently'
  return isOpen && (when === undefined || when(error))
}

/**
 * The pause after this many failed attempts, in milliseconds. The same call has the same pauses on every engine, and in
 * a run that is replayed or resumed: jitter follows from `seed`, and not from chance.
 */
export function retryDelayMs(policy: RetryPolicy, failedAttempts: number, seed: string): number {
  const longest = Math.min(policy.delayMs * policy.backoff ** (failedAttempts - 1), policy.maxDelayMs)
  const { jitter = 0 } = policy
  return jitter === 0 ? longest : Math.round(longest * (1 - jitter * shareOf(`${seed} ${failedAttempts}`)))
}

/** A number from 0 to 1, 1 excluded, that is evenly spread over texts: FNV-1a, then the last mixing of MurmurHash3. */
function shareOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}

/** The pause after this many refusals for which the service named no time, in milliseconds. */
export function throttleDelayMs(refusals: number): number {
  return Math.min(1000 * 2 ** (refusals - 1), 30_000)
}
