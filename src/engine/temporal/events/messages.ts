/** What passes between those who take events and the workflow that keeps them. */

import type { Plan } from '../../../core/plan.ts'
import type { Identity } from '../../../core/record/identity.ts'
import type { ReachedStartLimit } from '../../../core/triggers/decide-offer.ts'
import type { EventRecord } from '../../../core/triggers/event-record.ts'
import type { IncomingEvent, UnwillingCandidate, WillingCandidate } from '../../../core/triggers/offer.ts'
import type { EventFilter, TriggerPause } from '../../event-book.ts'
import type { ConcurrencyOrder, ListedRun } from '../concurrency/messages.ts'
import type { RunAbilities } from '../messages.ts'

/** Name of the workflow type that keeps the events of a task queue and starts runs from them. */
export const eventBookType = 'opsbookEvents'

/** Update: events that came in. Names an {@link OffersOrder}, is answered with an {@link OffersAnswer}. */
export const offersUpdate = 'opsbookOffers'
/** Update: stops all starting, or with null allows it again. Answers with what was before, or null. */
export const pauseUpdate = 'opsbookPauseTriggers'
/** Update: how many times of schedules were missed. Names a {@link MissedOrder}, is answered with those that people are told of. */
export const missedUpdate = 'opsbookTellMissed'
/** Query: the events that a filter lets through, the newest first. */
export const eventListQuery = 'opsbookEventList'
/** Query: one event by its id, or null. */
export const eventQuery = 'opsbookEvent'
/** Query: what would be decided of the events of an {@link OffersOrder}. */
export const previewQuery = 'opsbookPreviewOffers'
/** Query: whether somebody has stopped all starting, or null. */
export const triggerPauseQuery = 'opsbookTriggerPause'

/** Events that are decided one after the other. */
export interface OffersOrder {
  /** Those that candidates name by their places. */
  readonly plans: readonly Plan[]
  readonly offers: readonly OfferOrder[]
  readonly keepKeysMs: number
  /** Task queue of the workers that make the calls of runs. */
  readonly actionQueue: string
  /** Who serves the hooks: in whose name runs are started. */
  readonly startedBy: Identity
  /** Name of the default connection; left out: that of the workers. */
  readonly connection?: string
  /** Of the runs that are started. Left out by those who did not know of them. */
  readonly abilities?: RunAbilities
}

/** An event that came in, and what it could start. */
export interface OfferOrder {
  readonly event: Omit<IncomingEvent, 'body'> & Partial<Pick<IncomingEvent, 'body'>>
  readonly candidates: readonly CandidateOrder[]
}

/** What one trigger makes of an event. */
export type CandidateOrder = UnwillingCandidate | WillingOrder

/** The trigger wants to start a run, and this is how it would be called. */
export interface WillingOrder extends Omit<WillingCandidate, 'plan'> {
  /** Place in the list of plans. */
  readonly plan: number
  readonly runId: string
  readonly listed: ListedRun
  /** One run at a time goes on for its concurrency key. */
  readonly alone?: ConcurrencyOrder
}

/** What became of each event, in order, and the reached start limits that people are told of. `isAgain`: nothing has been taken, they are to be offered again at once. */
export type OffersAnswer =
  | { readonly events: readonly EventRecord[]; readonly startLimits?: readonly ReachedStartLimit[] }
  | { readonly isAgain: true }

/** All schedules of the task queue, and who tells people of them. */
export interface MissedOrder {
  readonly schedules: readonly MissedTimes[]
  /** Task queue of the workers that know whom to tell. */
  readonly actionQueue: string
}

/** How many times of a schedule nobody started while they could be caught up. */
export interface MissedTimes {
  readonly id: string
  readonly runbook: string
  readonly missed: number
}

/** What {@link eventListQuery} is asked. */
export type EventListOrder = EventFilter

/** What {@link pauseUpdate} is told. */
export type PauseOrder = TriggerPause | null
