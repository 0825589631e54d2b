/** What passes between processes and the limiters. Times are spans, never instants: the clocks need not agree. */
import type { RateWindow } from '../../../core/rate-windows.ts'

/** Names of the workflow types. */
export const rateLimiterType = 'opsbookRateLimiter'
export const targetLockType = 'opsbookTargetLock'

/** Update of a rate limiter: a process asks for places. Answered at once; a process that has to wait stays in line. */
export const askUpdate = 'opsbookAskPlaces'
/** Signal to a rate limiter: what became of places. */
export const noteSignal = 'opsbookNotePlaces'

/** What became of a place. */
export interface PlaceNote {
  readonly slot: number
  /** `sent`: it went out then and is under way, or goes out by then. */
  readonly kind: 'sent' | 'answered' | 'unused'
  /** How long ago; negative for what is to come. */
  readonly agoMs: number
}

/** What is told to a rate limiter. */
export interface RateNotes {
  /** The task queue that the process alone polls. */
  readonly process: string
  readonly notes: readonly PlaceNote[]
  /** The service said `RequestTooFrequently`: nobody is given a place for this long. */
  readonly pauseMs?: number
}

/** What a rate limiter is asked. */
export interface RateAsk extends RateNotes {
  /** What the process calls the limiter. */
  readonly key: string
  /** The number of the question: each one of a process has a higher one. */
  readonly ask: number
  readonly windows: readonly RateWindow[]
  /** Calls that wait for a place. With none the answer comes at once. */
  readonly want: number
  /** Places for calls that may come, given to whoever is alone. */
  readonly ahead: number
  /** How long questions and their answers were on their way of late: places are good for that much longer. */
  readonly wayMs?: number
}

/** A place that is given out. */
export interface GivenPlace {
  readonly slot: number
  /** How long after the answer it can be used. */
  readonly inMs: number
  /** For how long from then on, counted from the question and the time that it was held. */
  readonly forMs: number
}

/** What a rate limiter answers. */
export interface RateAnswer {
  /** The process is in line, and is handed its places by {@link takePermitsActivity}. To ask again does no harm. */
  readonly isWaiting?: true
  readonly places: readonly GivenPlace[]
  /** How long the question lay there until places were free. */
  readonly heldMs?: number
  /** Others have asked of late. */
  readonly isShared: boolean
  /** Why there is none. */
  readonly reason?: 'budget' | 'throttle'
  /** When there will be one, as far as is known. */
  readonly freeInMs?: number
  /** To ask sooner is of no use. */
  readonly askAgainInMs?: number
}

/** Signal to a target lock: a process wants the target. Safe to send twice. Starts the lock where there is none. */
export const wantTargetSignal = 'opsbookWantTarget'

/** What a process says to a target lock. */
export interface TargetRequest {
  /** The task queue that the process alone polls. */
  readonly process: string
  /** Which of its turns at this target it asks for: a later one has a higher number. */
  readonly turn: number
  /** When it asks again, unless it has its turn by then. Who has not for three times as long has died. */
  readonly againInMs: number
  /** It has asked for this turn before. */
  readonly isAgain?: true
  /** It uses the target now, and the lock no longer knows that. */
  readonly isHeld?: true
}

/** Activity in the process that has the turn: lasts for as long as it uses the target. */
export const holdTargetActivity = 'opsbook/hold-target'

/** What {@link holdTargetActivity} is given. */
export interface TargetTurn extends Pick<TargetRequest, 'turn'> {
  readonly target: string
}

/** Activity in a process that waits for permits: hands them over. */
export const takePermitsActivity = 'opsbook/take-permits'

/** What {@link takePermitsActivity} is given. */
export interface HandedPermits extends Pick<RateAsk, 'key' | 'ask'> {
  readonly answer: RateAnswer
}
