import type {
  EventDecision,
  EventRecord,
  RememberedStart,
  StartMemory,
  TriggerName,
} from '../../../../core/triggers/index.ts'
import type { EventFilter, TriggerPause } from '../../../index.ts'
import type { ListenOrder } from '../../received-events/listening.ts'
import type { NotStarted } from '../concurrency/start-decided.ts'
import { measureParts } from '../packed-size.ts'

/** The state of the event store: plain data of limited size, which each execution hands to the next. */
export interface EventState {
  /** The oldest first. */
  events: StoredEvent[]
  /** How many events came that are kept no more. */
  forgotten: number
  /** The runs whose steps wait for events. */
  listeners?: readonly KeptListener[]
  /** The oldest first. */
  starts: KeptStart[]
  /** When the last notification of each reached start limit was sent. */
  startLimits: (TriggerName & { readonly atMs: number })[]
  pause?: TriggerPause
  /** The number of missed times of each schedule that notifications were sent of; left out: none. */
  missed?: Readonly<Record<string, number>>
}

/** An event, and when the store received it: the clock of the server, which the starts of runs have too. */
export interface StoredEvent extends EventRecord {
  readonly storedAtMs?: number
}

/** A run that listens to hooks. */
export interface KeptListener extends Required<Pick<ListenOrder, 'runId' | 'hooks' | 'wanted'>> {
  /** The first event that it has not been sent, by its number among all that came. */
  readonly next: number
  /** The number of the request that is answered when it has been sent all. */
  readonly asked?: number
}

/** The same until no event depends on it. */
export interface KeptStart extends RememberedStart {
  /** No event depends on it after this time. */
  readonly untilMs: number
}

/** The number of events that are kept. */
export const mostEvents = 2000
const mostStarts = 10_000
/** In bytes, of the whole state: the server accepts 2 MiB, and ends a workflow with more. */
const mostPacked = 1_500_000
/** In bytes: with more, what listeners want is dropped first, and they are sent all events. */
const mostOfListeners = 500_000

export function createEventState(): EventState {
  return { events: [], forgotten: 0, starts: [], startLimits: [] }
}

/** What events are evaluated against. `running` finds the run that holds a concurrency key, as the sender of the event saw it. */
export function memoryOf(
  { starts, startLimits, pause }: EventState,
  running: StartMemory['findRunning'],
): StartMemory {
  return {
    isPaused: () => pause !== undefined,
    findKey: (runbook, key) =>
      starts.findLast((start) => start.runbook === runbook && start.dedupeKey === key),
    lastStart: (runbook, key) =>
      starts.findLast(
        (start) => start.runbook === runbook && (key === undefined || start.cooldownKey === key),
      ),
    countStarts: (trigger, afterMs, beforeMs) =>
      starts.filter((start) => isOf(start, trigger) && start.atMs > afterMs && start.atMs < beforeMs).length,
    lastNotifiedStartLimit: (trigger) => startLimits.find((startLimit) => isOf(startLimit, trigger))?.atMs,
    findRunning: running,
  }
}

/** Records that a notification of a reached start limit was sent. */
export function rememberNotified(ledger: EventState, { runbook, trigger }: TriggerName, atMs: number): void {
  ledger.startLimits = [
    ...ledger.startLimits.filter((startLimit) => !isOf(startLimit, { runbook, trigger })),
    { runbook, trigger, atMs },
  ]
}

/** The newest event with this id, of this hook if one is given. */
export function findKeptEvent(
  { events }: EventState,
  hook: string | undefined,
  id: string,
): StoredEvent | undefined {
  return events.findLast((event) => event.event_id === id && (hook === undefined || event.hook === hook))
}

/** Replaces the record of an event, or adds it. */
export function writeEvent(ledger: EventState, event: StoredEvent): void {
  const place = ledger.events.findLastIndex((one) => isSameEvent(one, event))
  if (place < 0) ledger.events.push(event)
  else ledger.events[place] = event
}

/** Records why a run was not started, after all. */
export function recordRefusal(ledger: EventState, runId: string, refusal: NotStarted): void {
  ledger.starts = ledger.starts.filter((start) => start.runId !== runId)
  const isStarted = (decision: EventDecision): boolean =>
    decision.run_id === runId && decision.because === undefined
  const event = ledger.events.findLast(({ starts }) => starts.some(isStarted))
  if (!event) return
  const starts = event.starts.map((decision) => {
    const { runbook, trigger } = decision
    return isStarted(decision) ? { runbook, trigger, ...refusal } : decision
  })
  writeEvent(ledger, { ...event, starts })
}

/** Removes an event: its sender can send it again. */
export function removeEvent(ledger: EventState, event: EventRecord): void {
  keepEvents(
    ledger,
    ledger.events.filter((one) => !isSameEvent(one, event)),
  )
}

/** Keeps these events alone. Those that are left have no lower number than before, so that none is left out for a run. */
function keepEvents(ledger: EventState, events: StoredEvent[]): void {
  ledger.forgotten += ledger.events.length - events.length
  ledger.events = events
}

/** In characters, of one answer: a server takes 2 MiB. */
const mostAnswered = 1_000_000

/** The newest first. Beyond the size of one answer, older events come without their bodies. */
export function listEvents(
  { events }: EventState,
  { hook, runbook, because, isStart, receivedFromMs = 0, isWithoutBody, limit = 100 }: EventFilter,
): readonly EventRecord[] {
  const isWanted = (event: EventRecord): boolean =>
    (hook === undefined || event.hook === hook) &&
    Date.parse(event.received_at) >= receivedFromMs &&
    ((runbook === undefined && because === undefined && isStart === undefined) ||
      event.starts.some(
        (start) =>
          (runbook === undefined || start.runbook === runbook) &&
          (because === undefined || start.because === because) &&
          (isStart === undefined || (start.because === undefined) === isStart),
      ))
  let length = 0
  return events
    .filter(isWanted)
    .slice(-limit)
    .toReversed()
    .map(asAnswered)
    .map((event) => {
      if (isWithoutBody) return withoutBody(event)
      length += JSON.stringify(event).length
      return length > mostAnswered ? withoutBody(event) : event
    })
}

/**
 * Removes what no event depends on, and the oldest entries beyond the limits: first the bodies of events, then events,
 * and last the starts that later events are evaluated against.
 */
export function pruneState(ledger: EventState, nowMs: number): void {
  ledger.starts = ledger.starts.filter(({ untilMs }) => untilMs > nowMs).slice(-mostStarts)
  keepEvents(ledger, ledger.events.slice(-mostEvents))
  const measure = measureParts(ledger)
  if (ledger.listeners && measure({ ...ledger, events: [], starts: [] }) > mostOfListeners)
    ledger.listeners = ledger.listeners.map((listener) => ({ ...listener, wanted: {} }))
  let left = mostPacked - measure({ ...ledger, events: [], starts: [] })
  const fits = (bytes: number): boolean => {
    if (bytes > left) return false
    left -= bytes
    return true
  }
  const newest = <T extends object>(parts: readonly T[]): T[] =>
    parts
      .toReversed()
      .filter((part) => fits(measure([part])))
      .toReversed()
  ledger.starts = newest(ledger.starts)
  const bare = new Map(ledger.events.map((event) => [bareOf(event), event]))
  const fitting = newest([...bare.keys()])
    .toReversed()
    .map((event) => {
      const whole = bare.get(event) ?? event
      return fits(measure(whole) - measure(event)) ? whole : event
    })
  keepEvents(ledger, fitting.toReversed())
}

/** An event with nothing but its decisions. */
function bareOf({ body: _, ...event }: StoredEvent): StoredEvent {
  return { ...event, starts: event.starts.map(({ details: __, ...start }) => start) }
}

/** An event as clients get it. */
export function asAnswered({ storedAtMs: _, ...event }: StoredEvent): EventRecord {
  return event
}

function withoutBody({ body: _, ...event }: StoredEvent): StoredEvent {
  return event
}

function isOf(one: TriggerName, { runbook, trigger }: TriggerName): boolean {
  return one.runbook === runbook && one.trigger === trigger
}

function isSameEvent(one: EventRecord, other: EventRecord): boolean {
  return one.event_id === other.event_id && one.hook === other.hook
}
