/**
 * The events that start runs, with the decision about each. The embedded engine keeps them in its database, the
 * Temporal engine in a workflow. Both use `decideEvent` of the core.
 */
import type { Identity } from '../core/events.ts'
import type { EventDecision, EventEvaluation, EventRecord, NoStartReason } from '../core/triggers/index.ts'

/** The events of one engine. */
export interface EventStore {
  /**
   * Records the event, decides for each candidate and starts runs: all of it, or nothing. The returned record survives
   * the death of this process. A known event returns its first record, and starts nothing. Rejects with
   * `DataDirUnusable`, `TemporalUnavailable` or `NoWorker` if nothing can be recorded now. The sender should retry
   * then.
   */
  evaluation(evaluation: EventEvaluation): Promise<EventRecord>
  /** The decision for each candidate at this time. Records nothing and starts nothing. */
  previewEvent(evaluation: EventEvaluation): Promise<readonly EventDecision[]>
  /** The newest first. */
  listEvents(filter?: EventFilter): Promise<readonly EventRecord[]>
  /** Finds an event by its id, or by hook and id as `hook/id`; that of a callback by `callbacks/RUN/NAME/id`. Undefined: it does not exist, or was removed. */
  readEvent(id: string): Promise<EventRecord | undefined>
  /**
   * Whether no step of the run can take an event any more: it succeeded, was cancelled or was removed. A failed run can be
   * resumed.
   */
  hasEnded(runId: string): Promise<boolean>
  /** The pause of all automatic starts. Undefined: they are not paused. */
  readPause(): Promise<TriggerPause | undefined>
  /**
   * Pauses all starts by events and schedules, or with `undefined` resumes them. Resolves with the state before; a pause
   * that was there stays, with its user. `shown`: the `pauseWord` of what the user saw. Rejects with `InvalidInput`, and
   * changes nothing, if they stand otherwise.
   */
  setPause(pause: TriggerPause | undefined, shown?: string): Promise<TriggerPause | undefined>
  close(): Promise<void>
}

/** Which events a list holds. A field that is left out selects all events. */
export interface EventFilter {
  readonly hook?: string
  readonly runbook?: string
  /** At least one trigger started nothing, for this reason. */
  readonly because?: NoStartReason
  /** At least one trigger started a run. */
  readonly isStart?: boolean
  /** Received at this Unix time in milliseconds, or later. */
  readonly receivedFromMs?: number
  /** Leaves the bodies out: `readEvent` has the one of an event. */
  readonly isWithoutBody?: true
  /**
   * The maximum number of events.
   * @default 100
   */
  readonly limit?: number
}

/** A pause of all automatic starts. */
export interface TriggerPause {
  readonly by: Identity
  /** RFC 3339. */
  readonly since: string
  readonly comment?: string
}
