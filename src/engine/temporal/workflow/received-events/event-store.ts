import { allHandlersFinished, condition, continueAsNew, upsertMemo } from '@temporalio/workflow'
import {
  type EventDecision,
  type EventRecord,
  pauseWord,
  type ReachedStartLimit,
  splitEventName,
} from '../../../../core/triggers/index.ts'
import type { EventFilter } from '../../../index.ts'
import { whyUnreadable } from '../../codec/unreadable.ts'
import {
  type EvaluationsAnswer,
  type EvaluationsOrder,
  evaluationsUpdate,
  eventListQuery,
  eventQuery,
  type MissedOrder,
  type MissedTimes,
  missedUpdate,
  type PauseAnswer,
  type PauseOrder,
  pauseUpdate,
  previewQuery,
  triggerPauseQuery,
} from '../../received-events/messages.ts'
import { createAskLine } from '../concurrency/join-line.ts'
import { followDeployments, hasLongHistory } from '../follow-deployments.ts'
import { onQuery, onUpdate } from '../handlers.ts'
import { startNotice } from '../notifications/notifier.ts'
import {
  asAnswered,
  createEventState,
  type EventState,
  findKeptEvent,
  listEvents,
  mostEvents,
  pruneState,
} from './event-state.ts'
import { sendToListeners, serveListeners } from './listeners.ts'
import { decideTaken, takeEvent } from './take-event.ts'

/** With more history events than this, the store continues as a new execution. */
const mostHistory = 4000
/** The server takes 2,000 updates for one execution. */
const mostUpdates = 1000

/**
 * Stores the events of the hooks of a task queue, decides which runs each of them starts, and starts them. All processes
 * that serve hooks use the same store, so events are decided one after the other.
 */
export async function opsbookEvents(continued?: EventState): Promise<void> {
  const unreadable = whyUnreadable(continued)
  // Fails the task, and not the workflow, whose state would be lost: another worker may have the key.
  if (unreadable !== undefined) throw new Error(unreadable)
  const ledger = continued ?? createEventState()
  const pending = new Map<string, Promise<unknown>>()
  let updates = 0
  let isDraining = false
  // A replay can merge tasks without commands into the first one, with their messages in the order of these handlers. So
  // the first task has a command, and runs that listen come before events.
  upsertMemo({ keeps: 'events' })
  serveListeners(ledger)
  const askLine = createAskLine()
  onUpdate<EvaluationsAnswer, EvaluationsOrder>(evaluationsUpdate, async (order) => {
    updates++
    if (isDraining) return { isAgain: true }
    if (ledger.events.length > 2 * mostEvents) pruneState(ledger, Date.now())
    const startLimits: ReachedStartLimit[] = []
    const onStartLimit = (startLimit: ReachedStartLimit): void => void startLimits.push(startLimit)
    const events = await Promise.all(
      order.evaluations.map((evaluation) =>
        takeEvent(ledger, pending, { evaluation, order, askLine, onStartLimit }),
      ),
    )
    return { events, startLimits }
  })
  onUpdate<PauseAnswer, PauseOrder>(pauseUpdate, ({ pause, shown }) => {
    updates++
    const before = ledger.pause
    if (shown !== undefined && shown !== pauseWord(before)) return before ?? null
    if (pause) ledger.pause = before ?? pause
    else delete ledger.pause
    return before ?? null
  })
  onUpdate<readonly MissedTimes[], MissedOrder>(missedUpdate, (order) => {
    updates++
    return notifyMissed(ledger, order)
  })
  onQuery<readonly EventRecord[], [EventFilter]>(eventListQuery, (filter) => listEvents(ledger, filter))
  onQuery<EventRecord | null, [string]>(eventQuery, (id) => {
    const named = splitEventName(id)
    const found =
      (named && findKeptEvent(ledger, named.hook, named.id)) ?? findKeptEvent(ledger, undefined, id)
    return found ? asAnswered(found) : null
  })
  onQuery<readonly EventDecision[], [EvaluationsOrder]>(previewQuery, (order) =>
    order.evaluations.flatMap((evaluation) => decideTaken(ledger, { evaluation, order }).decisions),
  )
  onQuery<PauseAnswer>(triggerPauseQuery, () => ledger.pause ?? null)

  const sending = sendToListeners(ledger, () => isDraining)
  await condition(() => hasLongHistory(mostHistory) || updates >= mostUpdates)
  isDraining = true
  await condition(allHandlersFinished)
  await sending
  pruneState(ledger, Date.now())
  await continueAsNew<typeof opsbookEvents>(ledger)
}

followDeployments(opsbookEvents)

/** Sends notifications of the missed times that none was sent of yet, and returns these times. */
async function notifyMissed(
  ledger: EventState,
  { schedules, actionQueue }: MissedOrder,
): Promise<readonly MissedTimes[]> {
  const notified = ledger.missed ?? {}
  const unreported = schedules.flatMap((schedule) => {
    const missed = schedule.missed - (notified[schedule.id] ?? 0)
    return missed > 0 ? [{ ...schedule, missed }] : []
  })
  // Reports can arrive in another order. A schedule that was created again starts with no missed times.
  const counts = schedules.map(
    ({ id, missed }) => [id, missed && Math.max(missed, notified[id] ?? 0)] as const,
  )
  ledger.missed = Object.fromEntries(counts.filter(([, count]) => count > 0))
  const sinceMs = Date.now()
  await Promise.all(
    unreported.map(({ id, runbook, missed }) => {
      const message = `the schedule ${id}: ${missedText(missed)} could be caught up`
      const notice = { kind: 'schedule_missed', runbook, message, sinceMs } as const
      return startNotice(`opsbook-schedule/${id}`, { notice, sensitive: [], actionQueue })
    }),
  )
  return unreported
}

function missedText(missed: number): string {
  return missed === 1
    ? 'a time was missed; the server did not start it while it'
    : `${missed} times were missed; the server did not start them while they`
}
