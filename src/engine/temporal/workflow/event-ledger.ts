import type { EventRecord } from '../../../core/triggers/event-record.ts'
import type { PastStart, StartMemory, TriggerName } from '../../../core/triggers/start-memory.ts'
import type { EventFilter, TriggerPause } from '../../event-book.ts'
import { measureParts } from './packed-size.ts'

/** What is known of events and of the runs they started: plain data, which is taken along. All of it has its bounds. */
export interface EventLedger {
  /** The oldest first. */
  events: EventRecord[]
  /** The oldest first. */
  starts: RememberedStart[]
  /** When people were last told of reached start limits. */
  startLimits: (TriggerName & { readonly atMs: number })[]
  pause?: TriggerPause
  /** How many missed times of each schedule people were told of; left out where there are none. */
  missed?: Readonly<Record<string, number>>
}

/** A start that later ones are judged by. */
export interface RememberedStart extends TriggerName, PastStart {
  readonly dedupeKey?: string
  readonly cooldownKey?: string
  /** Nothing depends on it afterwards. */
  readonly untilMs: number
}

/** How many are kept at least, where nothing is too old. */
export const mostEvents = 2000
const mostStarts = 10_000
/** In characters, of all events together. */
const mostBodies = 500_000
/** In bytes, of the whole ledger when it is taken along: the server lets 2 MiB through, and ends a workflow with more. */
const mostPacked = 1_500_000

export function createEventLedger(): EventLedger {
  return { events: [], starts: [], startLimits: [] }
}

/** What is decided by. `running` are the runs that hold concurrency keys, as far as whoever offers an event knows. */
export function memoryOf(
  { starts, startLimits, pause }: EventLedger,
  running: (runbook: string, key: string) => string | undefined,
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

/** People are told of a reached start limit. */
export function rememberTold(ledger: EventLedger, { runbook, trigger }: TriggerName, atMs: number): void {
  ledger.startLimits = [
    ...ledger.startLimits.filter((startLimit) => !isOf(startLimit, { runbook, trigger })),
    { runbook, trigger, atMs },
  ]
}

/** The newest of those with this id; of this hook, where one is named. */
export function findEvent(
  { events }: EventLedger,
  hook: string | undefined,
  id: string,
): EventRecord | undefined {
  return events.findLast((event) => event.event_id === id && (hook === undefined || event.hook === hook))
}

/** Puts an event in the place of what was known of it, or after all others. */
export function writeEvent(ledger: EventLedger, event: EventRecord): void {
  const place = ledger.events.findLastIndex((one) => isSameEvent(one, event))
  if (place < 0) ledger.events.push(event)
  else ledger.events[place] = event
}

/** Nothing is known of it: it can come again. */
export function removeEvent(ledger: EventLedger, event: EventRecord): void {
  ledger.events = ledger.events.filter((one) => !isSameEvent(one, event))
}

/** In characters, of one answer: a server takes 2 MiB. */
const mostAnswered = 1_000_000

/** The newest first. Where they are more than one answer holds, the older ones come without what came in. */
export function listEvents(
  { events }: EventLedger,
  { hook, runbook, because, isStart, receivedFromMs = 0, limit = 100 }: EventFilter,
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
    .map((event) => {
      length += JSON.stringify(event).length
      return length > mostAnswered ? withoutBody(event) : event
    })
}

/**
 * Forgets what nothing depends on any more, and the oldest of what is too much: what is told of events goes first, then
 * events go, and starts that later ones are judged by at last.
 */
export function pruneLedger(ledger: EventLedger, nowMs: number): void {
  ledger.starts = ledger.starts.filter(({ untilMs }) => untilMs > nowMs).slice(-mostStarts)
  let length = 0
  ledger.events = ledger.events
    .slice(-mostEvents)
    .toReversed()
    .map((event) => {
      length += event.body === undefined ? 0 : JSON.stringify(event.body).length
      return length > mostBodies ? withoutBody(event) : event
    })
    .toReversed()
  const measure = measureParts(ledger)
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
  ledger.events = newest([...bare.keys()])
    .toReversed()
    .map((event) => {
      const whole = bare.get(event) ?? event
      return fits(measure(whole) - measure(event)) ? whole : event
    })
    .toReversed()
}

/** An event with nothing but what was decided of it. */
function bareOf({ body: _, ...event }: EventRecord): EventRecord {
  return { ...event, starts: event.starts.map(({ details: __, ...start }) => start) }
}

function withoutBody({ body: _, ...event }: EventRecord): EventRecord {
  return event
}

function isOf(one: TriggerName, { runbook, trigger }: TriggerName): boolean {
  return one.runbook === runbook && one.trigger === trigger
}

function isSameEvent(one: EventRecord, other: EventRecord): boolean {
  return one.event_id === other.event_id && one.hook === other.hook
}
