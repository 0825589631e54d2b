import { getExternalWorkflowHandle } from '@temporalio/workflow'
import type { EventRecord } from '../../../../core/triggers/index.ts'
import {
  eventSignal,
  type ListenOrder,
  listeningSignal,
  listenSignal,
  type SentEvent,
  type TakenNotice,
  takenSignal,
} from '../../received-events/listening.ts'
import { onSignal } from '../handlers.ts'
import { type EventState, findKeptEvent, writeEvent } from './event-state.ts'

/** More runs than this do not listen at a time: those that registered first are left out. */
const mostListeners = 5000
/** How many steps that took an event its record names. */
const mostNamed = 100
/** Clocks of the machines of one server differ by less. */
const clockMarginMs = 1000

/**
 * Registers runs, and sends each of them the events since its start that it missed. A run registers when it starts, so
 * the store does not depend on lists of the server, which are behind.
 */
export function serveListeners(ledger: EventState): void {
  const sendMissed = async ({ runId, hooks, sinceMs }: ListenOrder): Promise<void> => {
    for (const event of [...ledger.events]) {
      const isMissed = (event.storedAtMs ?? 0) >= sinceMs - clockMarginMs && hooks.includes(event.hook)
      if (isMissed && !(await send(runId, event))) break
    }
  }
  onSignal<[ListenOrder]>(listenSignal, async (order) => {
    const { runId, hooks } = order
    const others = (ledger.listeners ?? []).filter((one) => one.runId !== runId)
    ledger.listeners = hooks.length === 0 ? others : [...others, { runId, hooks }].slice(-mostListeners)
    if (hooks.length === 0) return
    await sendMissed(order)
    // A run that has ended needs no answer.
    await getExternalWorkflowHandle(runId)
      .signal(listeningSignal)
      .catch(() => {})
  })
  onSignal<[TakenNotice]>(takenSignal, ({ hook, id, runId, path }) => {
    const event = findKeptEvent(ledger, hook, id)
    if (!event) return
    // A step of a run takes an event once: a second notice is that of a call whose worker died after the first.
    const others = (event.taken ?? []).filter((one) => one.run_id !== runId || one.path !== path)
    writeEvent(ledger, { ...event, taken: [...others, { run_id: runId, path }].slice(-mostNamed) })
  })
}

/** Sends an event to all runs that listen to its hook. A run that has ended takes no more. */
export async function sendToListeners(ledger: EventState, event: EventRecord): Promise<void> {
  const listening = (ledger.listeners ?? []).filter(({ hooks }) => hooks.includes(event.hook))
  const ended = await Promise.all(
    listening.map(async ({ runId }) => ((await send(runId, event)) ? undefined : runId)),
  )
  if (ended.some((runId) => runId !== undefined))
    ledger.listeners = ledger.listeners?.filter(({ runId }) => !ended.includes(runId)) ?? []
}

/** Resolves when the history of the run has the event. False: the run has ended. */
async function send(runId: string, { hook, event_id, received_at, body }: EventRecord): Promise<boolean> {
  const event: SentEvent = {
    hook,
    id: event_id,
    receivedAtMs: Date.parse(received_at),
    ...(body === undefined ? {} : { body }),
  }
  try {
    await getExternalWorkflowHandle(runId).signal(eventSignal, event)
    return true
  } catch {
    return false
  }
}
