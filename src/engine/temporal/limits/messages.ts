/**
 * The messages between processes and the limiters. Times are spans, or instants of the limiter's clock: the clocks of
 * processes can differ.
 */
import type { RateWindow } from '../../../core/pacing/index.ts'

/** Names of the workflow types. */
export const rateLimiterType = 'opsbookRateLimiter'
export const targetLockType = 'opsbookTargetLock'

/** The id of the limiter of a key. All processes on the task queue use the same. */
export function limiterId(taskQueue: string, key: string): string {
  return `opsbook-limits/${taskQueue}/${key}`
}

/** Update of a rate limiter: a process requests permits. The answer is immediate; a process that has to wait stays in line. */
export const askUpdate = 'opsbookAskPermits'
/** Signal to a rate limiter: how permits were used. */
export const noteSignal = 'opsbookNotePermits'

/** Query of a rate limiter: its calls that count against windows. Changes nothing. */
export const rateUseQuery = 'opsbookRateUse'

/** How a permit was used. */
export interface PermitNote {
  readonly slot: number
  /** `sent`: the request was sent then, or is sent by then. */
  readonly kind: 'sent' | 'answered' | 'unused'
  /** How long ago; negative: in the future. */
  readonly agoMs: number
}

/** What a process reports to a rate limiter. */
export interface RateNotes {
  /** The task queue that only the process polls. */
  readonly process: string
  readonly notes: readonly PermitNote[]
  /** The limiter's clock when the process sent this, at the latest. The age of the notes counts from then. */
  readonly sentByMs?: number
  /** The service answered `RequestTooFrequently`: the limiter grants no permit for this long. */
  readonly pauseMs?: number
}

/** A request for permits. */
export interface RateAsk extends RateNotes {
  /** The name of the limiter in the process. */
  readonly key: string
  /** The number of the request, counted by the process. */
  readonly ask: number
  readonly windows: readonly RateWindow[]
  /** The number of waiting calls. With none, the process does not wait in line. */
  readonly want: number
  /** The number of permits to prefetch. With competitors they are granted while half of every window is free. */
  readonly ahead: number
  /** The latest round-trip time: permits expire later by that much. */
  readonly wayMs?: number
}

/** A permit that the limiter grants. */
export interface GrantedPermit {
  readonly slot: number
  /** How long after the time of the answer it can be used first. */
  readonly inMs: number
  /** How long it is valid from then on, counted from the request and the time in line. */
  readonly forMs: number
}

/** The answer of a rate limiter. */
export interface RateAnswer {
  /** The process is in line, and receives its permits through {@link takePermitsActivity}. It may repeat the request. */
  readonly isWaiting?: true
  readonly permits: readonly GrantedPermit[]
  /** The limiter's clock. */
  readonly atMs: number
  /** How long the request was in line. */
  readonly heldMs?: number
  /** Other processes have sent requests in the last 10 s. */
  readonly isShared: boolean
  /** Why there is no permit. */
  readonly reason?: 'budget' | 'throttle'
  /** When there will be one, as far as it is known. */
  readonly freeInMs?: number
  /** An earlier request cannot succeed. */
  readonly askAgainInMs?: number
}

/** Signal to a target lock: a process requests the target. It can be repeated, and starts the lock. */
export const wantTargetSignal = 'opsbookWantTarget'

/** The request of a process for a target. */
export interface TargetRequest {
  /** The task queue that only the process polls. */
  readonly process: string
  /** The number of the request, counted by the process. */
  readonly turn: number
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
export interface TargetTurn extends Pick<TargetRequest, 'turn'> {
  readonly target: string
}

/** Activity in a process that waits for permits: delivers them. */
export const takePermitsActivity = 'opsbook/take-permits'

/** The input of {@link takePermitsActivity}. */
export interface HandedPermits extends Pick<RateAsk, 'key' | 'ask'> {
  readonly answer: RateAnswer
}
