/**
 * Where events that start runs are kept, and what was decided of each: the embedded engine has it in its database, the
 * Temporal engine in a workflow. Both decide by `decideOffer` of core.
 */
import type { Identity } from '../core/record/identity.ts'
import type { EventDecision, EventRecord, NoStartReason } from '../core/triggers/event-record.ts'
import type { Offer } from '../core/triggers/offer.ts'

/** The events of one engine. */
export interface EventBook {
  /**
   * Records the event, decides for each candidate and starts what is to be started: all of it, or nothing. What it
   * resolves with survives the death of this process. An event that is known already is answered as it was the first
   * time, and starts nothing. Rejects with `DataDirUnusable`, `TemporalUnavailable` or `NoWorker` where nothing can be
   * recorded now: the sender is to come again.
   */
  offer(offer: Offer): Promise<EventRecord>
  /** What would be decided of it now, for each candidate. Records nothing and starts nothing. */
  previewOffer(offer: Offer): Promise<readonly EventDecision[]>
  /** The newest first. */
  listEvents(filter?: EventFilter): Promise<readonly EventRecord[]>
  /** By its id, or by hook and id as `hook/id`. Undefined: it is not there, or no longer. */
  readEvent(id: string): Promise<EventRecord | undefined>
  /** Whether a person has stopped all starting, and who. */
  readPause(): Promise<TriggerPause | undefined>
  /** Stops all starting by events and schedules, or with `undefined` allows it again. Resolves with what was before. */
  setPause(pause: TriggerPause | undefined): Promise<TriggerPause | undefined>
  close(): Promise<void>
}

/** Which events a list holds. What is left out does not matter. */
export interface EventFilter {
  readonly hook?: string
  readonly runbook?: string
  /** Some trigger started nothing for this reason. */
  readonly because?: NoStartReason
  /** Some trigger started a run. */
  readonly isStart?: boolean
  /** Received at this Unix time in milliseconds, or later. */
  readonly receivedFromMs?: number
  /**
   * No more than so many.
   * @default 100
   */
  readonly limit?: number
}

/** Nothing starts by itself until a person says so. */
export interface TriggerPause {
  readonly by: Identity
  /** RFC 3339. */
  readonly since: string
  readonly comment?: string
}
