import type { Listening } from '../../../../core/host/index.ts'
import { keepNewest } from '../../../../core/keep-newest.ts'
import type { ContinuedInbox } from '../../continued-state.ts'
import type { SentEvent } from '../../received-events/listening.ts'

/** The events that a run has received, as each execution hands them to the next. */
export type InboxState = { -readonly [Key in keyof ContinuedInbox]: ContinuedInbox[Key] }

/** How many events a run keeps that no step has taken. */
const mostEvents = 500
/** In characters as JSON, of all of them. */
const mostCharacters = 262_144
/** How many ids of events that were taken are kept. */
const mostTaken = 2000
/** The state after that of an earlier execution, if there is one. */
export function inboxState(continued: ContinuedInbox | undefined, startedAtMs: number): InboxState {
  const none = { kept: [], taken: [], dropped: 0, requests: 0, callbacks: {} }
  return { sinceMs: startedAtMs, ...none, ...continued }
}

/** Keeps an event, and drops the oldest ones that do not fit. False: it was kept or taken before. */
export function keepEvent(state: InboxState, event: SentEvent): boolean {
  const key = keyOf(event)
  if (state.taken.includes(key) || state.kept.some((one) => keyOf(one) === key)) return false
  const newest = keepNewest(
    [...state.kept, event].slice(-mostEvents),
    mostCharacters,
    (one) => JSON.stringify(one).length,
  )
  state.dropped += state.kept.length + 1 - newest.length
  state.kept = newest
  return true
}

/** The oldest event for a step that it has not seen. It has from then on. */
export function nextEvent(
  { kept }: InboxState,
  listening: Listening,
  seen: WeakMap<Listening, Set<string>>,
): SentEvent | undefined {
  const known = seen.get(listening) ?? new Set()
  seen.set(listening, known)
  const event = kept.find((one) => one.hook === listening.hook && !known.has(keyOf(one)))
  if (event) known.add(keyOf(event))
  return event
}

/** No other step takes this event. */
export function markTaken(state: InboxState, event: Pick<SentEvent, 'hook' | 'id'>): void {
  const key = keyOf(event)
  state.kept = state.kept.filter((one) => keyOf(one) !== key)
  state.taken = [...state.taken, key].slice(-mostTaken)
}

function keyOf({ hook, id }: Pick<SentEvent, 'hook' | 'id'>): string {
  return `${hook}/${id}`
}
