/** The messages between processes that receive events and the workflow that is their event store. */

import type { Identity } from '../../../core/events.ts'
import type { Plan } from '../../../core/plan/index.ts'
import type {
  EventRecord,
  IncomingEvent,
  MatchedCandidate,
  ReachedStartLimit,
  RejectedCandidate,
} from '../../../core/triggers/index.ts'
import type { TriggerPause } from '../../index.ts'
import type { AwaitedLine } from '../concurrency/line.ts'
import type { ListedRun } from '../run-listing.ts'

/** Name of the workflow type that stores the events of a task queue and starts runs from them. */
export const eventStoreType = 'opsbookEvents'

/** Update: received events, as an {@link EvaluationsOrder}. Returns an {@link EvaluationsAnswer}. */
export const evaluationsUpdate = 'opsbookEvaluations'
/**
 * Update: pauses automatic starts, or with null resumes them. Returns the pause before, or null. Changes nothing if they
 * stand otherwise than `shown` says.
 */
export const pauseUpdate = 'opsbookPauseTriggers'
/** Update: the missed times of schedules, as a {@link MissedOrder}. Returns those that a notification is sent of. */
export const missedUpdate = 'opsbookNotifyMissed'
/** Query: the events that match an `EventFilter`, the newest first. */
export const eventListQuery = 'opsbookEventList'
/** Query: one event by its id, or null. */
export const eventQuery = 'opsbookEvent'
/** Query: the decisions about the events of an {@link EvaluationsOrder}, without starting runs. */
export const previewQuery = 'opsbookPreviewEvaluations'
/** Query: the pause of automatic starts, or null. */
export const triggerPauseQuery = 'opsbookTriggerPause'

/** Events that are decided one after the other. */
export interface EvaluationsOrder {
  /** By their hashes. */
  readonly plans: Readonly<Record<string, Plan>>
  readonly evaluations: readonly EvaluationOrder[]
  readonly keepKeysMs: number
  /** Task queue of the workers that make the calls of runs. */
  readonly actionQueue: string
  /** The process that serves the hooks: runs are started in its name. */
  readonly startedBy: Identity
  /** Name of the default connection; left out: that of the workers. */
  readonly connection?: string
  /** See `RunStart`. */
  readonly hidesMessages?: true
}

/** A received event, and the runs that it could start. */
export interface EvaluationOrder {
  readonly event: Omit<IncomingEvent, 'body'> & Partial<Pick<IncomingEvent, 'body'>>
  readonly candidates: readonly CandidateOrder[]
}

/** The evaluation of an event by one trigger. */
export type CandidateOrder = RejectedCandidate | MatchedOrder

/** The trigger matched: the run that it starts. */
export interface MatchedOrder extends Omit<MatchedCandidate, 'plan'> {
  /** The hash of its plan. */
  readonly plan: string
  readonly runId: string
  readonly listed: ListedRun
  /** Left out: the runbook has no `concurrency`. */
  readonly line?: AwaitedLine
  /** The run that has the key, as the sender of the event sees it. */
  readonly running?: string
}

/**
 * The record of each event, in order, and the start limits that a notification is sent of. `isAgain`: the store takes no
 * events any more, and the sender repeats the order.
 */
export type EvaluationsAnswer =
  | { readonly events: readonly EventRecord[]; readonly startLimits?: readonly ReachedStartLimit[] }
  | { readonly isAgain: true }

/** All schedules of the task queue. */
export interface MissedOrder {
  readonly schedules: readonly MissedTimes[]
  /** Task queue of the workers that have the notification targets. */
  readonly actionQueue: string
}

/** The number of times of a schedule that the server did not start within the catch-up window. */
export interface MissedTimes {
  readonly id: string
  readonly runbook: string
  readonly missed: number
}

/** The input of {@link pauseUpdate}. */
export interface PauseOrder {
  readonly pause: PauseAnswer
  /** The word of the pause that the user saw. Left out: the user saw none. */
  readonly shown?: string
}

/** The pause of automatic starts, or null. */
export type PauseAnswer = TriggerPause | null
