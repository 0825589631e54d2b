/** The messages between processes, limiters and locks. They hold spans and no times: clocks can differ. */
import type { RateState, RateWindow } from '../../../core/pacing/index.ts'

/** Names of the workflow types. */
export const rateLimiterType = 'opsbookRateLimiter'
export const targetLockType = 'opsbookTargetLock'

/** The id of the limiter of a key. All processes on the task queue use the same. */
export function limiterId(taskQueue: string, key: string): string {
  return `opsbook-limits/${taskQueue}/${key}`
}

/** Update of a rate limiter: a process reserves calls. The answer is immediate. */
export const reserveUpdate = 'opsbookReserve'

/** Query of a rate limiter: its calls that count against windows. Changes nothing. */
export const rateUseQuery = 'opsbookRateUse'
/** Query of a rate limiter: all that it counts. The next one begins with it where this one was terminated. */
export const rateCountQuery = 'opsbookRateCount'

/** The calls of one key, counted: plain data, which a limiter hands to its next execution. */
export interface RateCount {
  readonly rate: RateState
  pausedUntilMs: number
  /** Never runs back, whatever the server's clock does. */
  clockMs: number
  /** The longest window: after this time without a call all windows are empty. */
  longestMs: number
}

/** What a process asks of a rate limiter. */
export interface RateRequest {
  readonly windows: readonly RateWindow[]
  /** The number of waiting calls without a reservation. 0: the process has something to report, or looks for a pause. */
  readonly want: number
  /** For how long each reservation is valid. */
  readonly forMs: number
  /** Reservations that were not used, and no longer will be. */
  readonly unused: readonly number[]
  /** The service answered `RequestTooFrequently`: no process calls for this long. */
  readonly pauseMs?: number
}

/** The right to send one request. */
export interface Reserved {
  readonly slot: number
  /** How long after the answer it is valid first. It ends `forMs` later, counted from the request. */
  readonly inMs: number
}

/** The answer of a rate limiter. */
export interface RateAnswer {
  /** Fewer than wanted: the process asks again once it has used them. */
  readonly reserved: readonly Reserved[]
  /** How long no process may call, since the service asked for it. */
  readonly pausedForMs: number
  /** Where nothing is reserved: when a call is free, and when to ask again. */
  readonly none?: { readonly freeInMs: number; readonly askAgainInMs: number }
}

/** Signal to a target lock: a process requests the target. It can be repeated, and starts the lock. */
export const wantTargetSignal = 'opsbookWantTarget'

/** The request of a process for a target. */
export interface TargetRequest {
  /** The task queue that only the process polls. */
  readonly process: string
  /** The number of the use, counted by the process. */
  readonly use: number
  /**
   * When it repeats the request. Without one for a fifth longer, processes behind it go first. After three times as
   * long, the lock takes the process as dead.
   */
  readonly againInMs: number
  /** A repeated request. */
  readonly isAgain?: true
  /** The process uses the target, and the lock may no longer know that. */
  readonly isHeld?: true
}

/** Activity in the process that holds the target: lasts as long as it uses the target. */
export const holdTargetActivity = 'opsbook/hold-target'

/** The input of {@link holdTargetActivity}. */
export interface TargetUse extends Pick<TargetRequest, 'use'> {
  readonly target: string
}
