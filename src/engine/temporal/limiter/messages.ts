/** What passes between processes and the limiters. Times are spans, never instants: the clocks need not agree. */
import type { RateWindow } from '../../../core/rate-windows.ts'

/** Names of the workflow types. */
export const rateLimiterType = 'opsbookRateLimiter'
export const targetKeeperType = 'opsbookTargetKeeper'

/** Update of a rate limiter: a process asks for places. Answered when there is one, or when it is known how long that takes. */
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
  readonly process: string
  readonly notes: readonly PlaceNote[]
  /** The service said `RequestTooFrequently`: nobody is given a place for this long. */
  readonly pauseMs?: number
}

/** What a rate limiter is asked. */
export interface RateAsk extends RateNotes {
  readonly windows: readonly RateWindow[]
  /** Calls that wait for a place. With none the answer comes at once. */
  readonly want: number
  /** Places for calls that may come, given to whoever is alone. */
  readonly ahead: number
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

/** Update of a target keeper: what a process wants and gives back. Answered at once. */
export const targetsUpdate = 'opsbookTargets'
/** Update of a target keeper: answered when something has changed for a process. */
export const targetNewsUpdate = 'opsbookTargetNews'

/** What a process says to a target keeper. Whatever it says renews its hold on all that it has. Safe to say twice. */
export interface TargetOrder {
  readonly process: string
  readonly take: readonly string[]
  /** Targets that it has no longer, or wants no longer. */
  readonly free: readonly string[]
  /** Targets in use: a keeper that has given the process up hears of them again. */
  readonly held?: readonly string[]
  /** It gives up having all targets; these are in use. */
  readonly yields?: readonly string[]
}

/** What a target keeper answers. */
export interface TargetAnswer {
  /** Of those that it waits for: what it has from now on. */
  readonly granted: readonly string[]
  /** The process is alone and has all targets: it asks nobody until the lease ends. */
  readonly ownsAll: boolean
  readonly leaseMs: number
}

/** What has changed. `yield`: others want targets, too. */
export interface TargetNews {
  readonly granted: readonly string[]
  readonly yield?: true
}
