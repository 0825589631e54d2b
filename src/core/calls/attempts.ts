import type { ActionDescription } from '../action.ts'
import type { WaitReason } from '../events.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { RetryPolicy, ThrottlePolicy, Tolerance } from '../plan/plan.ts'
import type { ErrorData } from '../run-error.ts'
import { mayRepeat, retryDelayMs, throttleDelayMs } from './retry.ts'

/** What one attempt came to. */
export type AttemptResult =
  | { readonly status: 'succeeded'; readonly output: JsonValue }
  | {
      readonly status: 'failed'
      readonly error: ErrorData
      /** The call was not wanted any more when the attempt was to begin: it does not count. */
      readonly isNotMade?: true
    }

/** A wait between two attempts. */
export interface Pause {
  readonly path: string
  readonly reason: Extract<WaitReason, 'retry' | 'throttle'>
  /** What failed, where that is more than the last attempt. */
  readonly message?: string
}

/** A failed attempt, and whether it will be made again. */
export interface AttemptFailure {
  readonly path: string
  readonly attempt: number
  readonly error: ErrorData
  readonly isRepeated: boolean
}

/** What calling needs from outside. */
export interface CallPorts {
  /** Makes exactly one attempt. Rejects only when the run itself must stop. */
  attempt(call: {
    readonly path: string
    readonly attempt: number
    readonly input: JsonObject
  }): Promise<AttemptResult>
  /** Resolves at that time of {@link now}. */
  sleepUntil(timeMs: number, pause: Pause): Promise<void>
  /** Milliseconds. */
  now(): number
  /** Told before each round of a batch how many calls it takes. */
  onGroups?(split: { readonly path: string; readonly groups: number; readonly items: number }): void
  /** Told of every failed attempt. */
  onAttemptFailed?(failure: AttemptFailure): void
}

/** A call to make. */
export interface Call {
  readonly action: Pick<ActionDescription, 'name' | 'safety' | 'batch'>
  /** Stable name of the call in its run; groups add `/group-1` and so on. */
  readonly path: string
  readonly input: JsonObject
  readonly retry: RetryPolicy
  /** Decides about each failure that may be repeated. @default the codes of `retry` decide alone */
  readonly retryWhen?: ((error: ErrorData) => boolean) | undefined
  readonly throttle: ThrottlePolicy
  readonly tolerate: Tolerance
  /**
   * What the jitter of its pauses follows from.
   * @default path
   */
  readonly seed?: string
}

/** The attempts of one call: counted, throttled, repeated by one policy. */
export interface Attempts {
  /** How many were made, of all paths together. */
  total(): number
  /** Makes one attempt; a refusal for being too frequent is waited out and does not count as a failure. */
  make(path: string, input: JsonObject): Promise<AttemptResult>
  /** Reports how the items of a batch are split. */
  split(groups: number, items: number): void
  /** Whether another round may repeat what failed like this. */
  mayRepeat(error: ErrorData, round: number): boolean
  /** Reports a failed attempt. */
  report(path: string, error: ErrorData, isRepeated: boolean): void
  /**
   * Waits out the pause after this round, in which these calls failed: at least as long as one of them asks for.
   * `message`: what failed, where that is more than the last attempt.
   */
  pause(round: number, failures: readonly ErrorData[], message?: string): Promise<void>
}

/** Between two refusals for being too frequent, in milliseconds. */
const shortestThrottleMs = 1000

export function createAttempts(call: Call, ports: CallPorts): Attempts {
  /** Of the call itself, and of its groups by their paths, which few calls have. */
  let own = 0
  let ofGroups: Map<string, number> | undefined
  let throttledMs = 0

  const madeOf = (path: string): number => (path === call.path ? own : (ofGroups?.get(path) ?? 0))
  const count = (path: string, attempt: number): void => {
    if (path === call.path) own = attempt
    else {
      ofGroups ??= new Map()
      ofGroups.set(path, attempt)
    }
  }

  const report = (path: string, error: ErrorData, isRepeated: boolean): void =>
    ports.onAttemptFailed?.({ path, attempt: madeOf(path) || 1, error, isRepeated })

  return {
    total() {
      return [...(ofGroups?.values() ?? [])].reduce((sum, count) => sum + count, own)
    },
    async make(path, input) {
      for (let refusals = 1; ; refusals++) {
        const made = madeOf(path)
        count(path, made + 1)
        const result = await ports.attempt({ path, attempt: made + 1, input })
        if (result.status === 'failed' && result.isNotMade) count(path, made)
        if (result.status === 'succeeded' || result.error.code !== 'RequestTooFrequently') return result
        const named = result.error.retryAfterMs
        // A time that has passed already, by another clock, must not become a loop without a pause.
        const waitMs = named === undefined ? throttleDelayMs(refusals) : Math.max(named, shortestThrottleMs)
        if (throttledMs + waitMs > call.throttle.maxWaitMs) return result
        throttledMs += waitMs
        report(path, result.error, true)
        await ports.sleepUntil(ports.now() + waitMs, { path, reason: 'throttle' })
      }
    },
    split(groups, items) {
      ports.onGroups?.({ path: call.path, groups, items })
    },
    mayRepeat(error, round) {
      return round < call.retry.attempts && mayRepeat(error, call.retry, call.action.safety, call.retryWhen)
    },
    report,
    pause(round, failures, message) {
      const askedMs = Math.max(...failures.map(({ retryAfterMs = 0 }) => retryAfterMs))
      const delayMs = retryDelayMs(call.retry, round, call.seed ?? call.path)
      const pauseMs = Math.max(delayMs, Math.min(askedMs, call.throttle.maxWaitMs))
      const why = message === undefined ? {} : { message }
      return ports.sleepUntil(ports.now() + pauseMs, { path: call.path, reason: 'retry', ...why })
    },
  }
}
