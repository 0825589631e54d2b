import { condition, getExternalWorkflowHandle } from '@temporalio/workflow'
import { canBeWanted } from '../../../../core/hooks/index.ts'
import {
  eventsSignal,
  type ListenOrder,
  listeningSignal,
  listenSignal,
  type SentEvent,
  type TakenNotice,
  takenSignal,
} from '../../received-events/listening.ts'
import { onSignal } from '../handlers.ts'
import {
  type EventState,
  findKeptEvent,
  type KeptListener,
  type StoredEvent,
  writeEvent,
} from './event-state.ts'

/** More runs than this do not listen at a time: those that registered first are left out. */
const mostListeners = 5000
/** How many steps that took an event its record names. */
const mostNamed = 100
/** Clocks of the machines of one server differ by less. */
const clockMarginMs = 1000
/** So many runs are sent to at a time. */
const mostAtOnce = 10
/** The pause where more runs wait: workers have time for the events that come, and a run gets several together. */
const pauseMs = 200
/** So many events are sent together, and no more characters of them. */
const mostTogether = 200
const mostCharacters = 200_000

/**
 * Registers runs. A run registers when it starts, so the store does not depend on lists of the server, which are behind.
 * What a run has not been sent yet is a number in the state: {@link sendToListeners} sends it, in this execution or in a
 * later one.
 */
export function serveListeners(ledger: EventState): void {
  onSignal<[ListenOrder]>(listenSignal, ({ runId, hooks, wanted = {}, sinceMs, request, isAgain }) => {
    const known = ledger.listeners?.find((one) => one.runId === runId)
    const others = (ledger.listeners ?? []).filter((one) => one !== known)
    const missed = ledger.events.findIndex(({ storedAtMs = 0 }) => storedAtMs >= sinceMs - clockMarginMs)
    const next = missed < 0 ? countOf(ledger) : numberOf(ledger, missed)
    const listener: KeptListener =
      isAgain && known ? { ...known, asked: request } : { runId, hooks, wanted, next, asked: request }
    ledger.listeners = hooks.length === 0 ? others : [...others, listener].slice(-mostListeners)
  })
  onSignal<[TakenNotice]>(takenSignal, ({ hook, id, runId, path }) => {
    const event = findKeptEvent(ledger, hook, id)
    if (!event) return
    // A step of a run takes an event once: a second notice is that of a call whose worker died after the first.
    const others = (event.taken ?? []).filter((one) => one.run_id !== runId || one.path !== path)
    writeEvent(ledger, { ...event, taken: [...others, { run_id: runId, path }].slice(-mostNamed) })
  })
}

/** Sends events to the runs that can want them, until the store continues as a new execution. */
export async function sendToListeners(ledger: EventState, isDraining: () => boolean): Promise<void> {
  for (;;) {
    await condition(() => isDraining() || behind(ledger).length > 0)
    if (isDraining()) return
    passBy(ledger)
    const batch = behind(ledger)
    const sent = await Promise.all(batch.map((listener) => sendTo(ledger, listener)))
    const after = new Map(batch.map(({ runId }, place) => [runId, sent[place]?.listener] as const))
    // A run can have asked again meanwhile. Those that were sent to wait behind the others.
    const current = (ledger.listeners ?? []).map((one) => (batch.includes(one) ? after.get(one.runId) : one))
    const rest = current.filter((one) => one !== undefined)
    ledger.listeners = [
      ...rest.filter(({ runId }) => !after.has(runId)),
      ...rest.filter(({ runId }) => after.has(runId)),
    ]
    if (sent.filter(({ isSignalled }) => isSignalled).length === mostAtOnce)
      await condition(isDraining, pauseMs)
  }
}

/** What came concerns most runs not at all: they have been sent all of it. */
function passBy(ledger: EventState): void {
  const count = countOf(ledger)
  ledger.listeners = (ledger.listeners ?? []).map((one) =>
    one.asked !== undefined || one.next >= count || ledger.events.slice(placeOf(ledger, one)).some(isFor(one))
      ? one
      : { ...one, next: count },
  )
}

function isFor({ hooks, wanted }: KeptListener): (event: StoredEvent) => boolean {
  return ({ hook, body }) => hooks.includes(hook) && canBeWanted(body, wanted[hook])
}

/** Where the first event is that a run has not been sent. */
function placeOf(ledger: EventState, { next }: KeptListener): number {
  return Math.max(next - numberOf(ledger, 0), 0)
}

function behind(ledger: EventState): readonly KeptListener[] {
  const count = countOf(ledger)
  return (ledger.listeners ?? [])
    .filter(({ next, asked }) => asked !== undefined || next < count)
    .slice(0, mostAtOnce)
}

interface Sent {
  /** With what it has been sent. Left out: the run has ended. */
  readonly listener?: KeptListener
  readonly isSignalled: boolean
}

async function sendTo(ledger: EventState, listener: KeptListener): Promise<Sent> {
  const { runId, hooks, wanted, asked } = listener
  const isWanted = isFor(listener)
  const events: SentEvent[] = []
  let [at, length] = [placeOf(ledger, listener), 0]
  for (; at < ledger.events.length && events.length < mostTogether; at++) {
    const event = ledger.events[at] as StoredEvent
    if (!isWanted(event)) continue
    length += event.body === undefined ? 0 : JSON.stringify(event.body).length
    if (events.length > 0 && length > mostCharacters) break
    events.push(asSent(event))
  }
  const isAll = at === ledger.events.length
  const after = numberOf(ledger, at)
  const run = getExternalWorkflowHandle(runId)
  try {
    if (events.length > 0) await run.signal(eventsSignal, events)
    const isAnswered = asked !== undefined && isAll
    if (isAnswered) await run.signal(listeningSignal, asked)
    const next = isAnswered ? { runId, hooks, wanted, next: after } : { ...listener, next: after }
    return { listener: next, isSignalled: events.length > 0 || isAnswered }
  } catch {
    return { isSignalled: true }
  }
}

/** Events are counted from the first that came, also those that are kept no more. */
function numberOf({ forgotten }: EventState, place: number): number {
  return forgotten + place
}

function countOf(ledger: EventState): number {
  return numberOf(ledger, ledger.events.length)
}

function asSent({ hook, event_id, received_at, body }: StoredEvent): SentEvent {
  return {
    hook,
    id: event_id,
    receivedAtMs: Date.parse(received_at),
    ...(body === undefined ? {} : { body }),
  }
}
