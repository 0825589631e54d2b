import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineUpdate,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import type { ReachedStartLimit } from '../../../core/triggers/decide-offer.ts'
import type { EventDecision, EventRecord } from '../../../core/triggers/event-record.ts'
import { whyUnreadable } from '../codec/unreadable.ts'
import {
  type EventListOrder,
  eventListQuery,
  eventQuery,
  type MissedOrder,
  type MissedTimes,
  missedUpdate,
  type OffersAnswer,
  type OffersOrder,
  offersUpdate,
  type PauseOrder,
  pauseUpdate,
  previewQuery,
  triggerPauseQuery,
} from '../events/messages.ts'
import {
  createEventLedger,
  type EventLedger,
  findEvent,
  listEvents,
  mostEvents,
  pruneLedger,
} from './event-ledger.ts'
import { followDeployments } from './follow-deployments.ts'
import { requireReadableOrder } from './require-readable.ts'
import { decideTaken, takeOffer } from './take-offer.ts'
import { tellMissed } from './tell-missed.ts'

/** An execution of more events than this goes on as a new one. */
const mostHistory = 4000
/** The server takes 2,000 updates for one execution. */
const mostUpdates = 1000

/**
 * Keeps the events that came to the hooks of a task queue, decides what each of them starts, and starts it. Everybody who
 * serves hooks offers events to the same one, so that they are decided one after the other.
 */
export async function opsbookEvents(carried?: EventLedger): Promise<void> {
  const unreadable = whyUnreadable(carried)
  // Not the end of the workflow, which would lose all it knows: another worker has the key.
  if (unreadable !== undefined) throw new Error(unreadable)
  const ledger = carried ?? createEventLedger()
  const pending = new Map<string, Promise<unknown>>()
  let updates = 0
  let isDraining = false
  setHandler(
    defineUpdate<OffersAnswer, [OffersOrder]>(offersUpdate),
    async (order) => {
      updates++
      if (isDraining) return { isAgain: true }
      if (ledger.events.length > 2 * mostEvents) pruneLedger(ledger, Date.now())
      const startLimits: ReachedStartLimit[] = []
      const onStartLimit = (startLimit: ReachedStartLimit): void => void startLimits.push(startLimit)
      const events = await Promise.all(
        order.offers.map((offer) => takeOffer(ledger, pending, { offer, order, onStartLimit })),
      )
      return { events, startLimits }
    },
    { validator: requireReadableOrder },
  )
  setHandler(
    defineUpdate<PauseOrder, [PauseOrder]>(pauseUpdate),
    (pause) => {
      updates++
      const before = ledger.pause ?? null
      if (pause) ledger.pause = pause
      else delete ledger.pause
      return before
    },
    { validator: (pause) => pause && requireReadableOrder(pause) },
  )
  setHandler(
    defineUpdate<readonly MissedTimes[], [MissedOrder]>(missedUpdate),
    (order) => {
      updates++
      return tellMissed(ledger, order)
    },
    { validator: requireReadableOrder },
  )
  setHandler(defineQuery<readonly EventRecord[], [EventListOrder]>(eventListQuery), (filter) =>
    listEvents(ledger, filter),
  )
  setHandler(defineQuery<EventRecord | null, [string]>(eventQuery), (id) => {
    const slash = id.indexOf('/')
    const named = slash < 0 ? undefined : findEvent(ledger, id.slice(0, slash), id.slice(slash + 1))
    return named ?? findEvent(ledger, undefined, id) ?? null
  })
  setHandler(defineQuery<readonly EventDecision[], [OffersOrder]>(previewQuery), (order) =>
    order.offers.flatMap((offer) => decideTaken(ledger, { offer, order }).decisions),
  )
  setHandler(defineQuery<PauseOrder>(triggerPauseQuery), () => ledger.pause ?? null)

  const isLong = (): boolean => {
    const { continueAsNewSuggested, historyLength } = workflowInfo()
    return continueAsNewSuggested || historyLength > mostHistory || updates >= mostUpdates
  }
  await condition(isLong)
  isDraining = true
  await condition(allHandlersFinished)
  pruneLedger(ledger, Date.now())
  await continueAsNew<typeof opsbookEvents>(ledger)
}

followDeployments(opsbookEvents)
