/**
 * Exact sliding windows. The service counts a call at some instant between sending and answering that nobody
 * here can see. So a call leaves a window one whole length after the *latest* instant at which it can have been
 * counted: the answer, or the sending and a margin, whichever comes first. The delay of the network then never
 * breaks a window at the service.
 */

/** At most `max` calls in any `lengthMs`. */
export interface RateWindow {
  readonly max: number
  readonly lengthMs: number
}

/** The calls that can still count against a window: plain data, made and changed only by the functions here. */
export interface RateState {
  /** A request is counted within this time of being sent, in milliseconds. */
  readonly marginMs: number
  /** The latest instants at which calls can have been counted, rising. Two parts, so that adding one copies little. */
  readonly older: readonly number[]
  readonly recent: readonly number[]
  /** Calls that are under way, in the order of their sending: that instant is still open. */
  readonly sent: readonly SentSlot[]
  /** Calls that have their place and are not sent: they count as being sent now. */
  readonly unsent: readonly number[]
  readonly nextId: number
}

/** A request that is under way. */
export interface SentSlot {
  readonly id: number
  readonly sentAt: number
}

/** Either the places, or the earliest time to ask again. */
export type Reservation =
  | { readonly isGranted: true; readonly state: RateState; readonly slots: readonly number[] }
  | { readonly isGranted: false; readonly state: RateState; readonly untilMs: number }

const shortestRecent = 32

/** A state in which nothing was called yet. */
export function createRateState(marginMs: number): RateState {
  return { marginMs, older: [], recent: [], sent: [], unsent: [], nextId: 1 }
}

/**
 * Takes `count` places in every window, or says when they will be free if nothing else happens until then. An
 * answer or a cancelled call in the meantime can free them earlier: ask again after each.
 */
export function reserve(
  state: RateState,
  windows: readonly RateWindow[],
  now: number,
  count: number,
): Reservation {
  const settled = compact(settleByTime(state, now), windows, now)
  let untilMs = now
  for (const window of windows) {
    if (count > window.max) throw new RangeError(`${count} calls never fit a window of ${window.max}`)
    untilMs = Math.max(untilMs, freeAt(settled, window, now, count))
  }
  if (untilMs > now) return { isGranted: false, state: settled, untilMs }
  const { nextId } = settled
  const slots = count === 1 ? [nextId] : Array.from({ length: count }, (_, index) => nextId + index)
  const unsent = [...settled.unsent, ...slots]
  return { isGranted: true, state: changed(settled, { unsent, nextId: nextId + count }), slots }
}

/** Notes that the request goes out now. */
export function markSent(state: RateState, slot: number, now: number): RateState {
  const index = state.unsent.indexOf(slot)
  if (index < 0) return state
  const sentAt = Math.max(now, state.sent.at(-1)?.sentAt ?? 0)
  return changed(state, {
    unsent: without(state.unsent, index),
    sent: [...state.sent, { id: slot, sentAt }],
  })
}

/** Notes that the answer is here: the call was counted at this instant at the latest. */
export function markAnswered(state: RateState, slot: number, now: number): RateState {
  const settled = settleByTime(state, now)
  const rest = removeSlot(settled, slot)
  return rest === settled ? settled : append(rest, [now])
}

/** Gives the place back. Only for a call that was certainly not sent. */
export function removeSlot(state: RateState, slot: number): RateState {
  const index = state.sent.findIndex(({ id }) => id === slot)
  if (index >= 0) return changed(state, { sent: without(state.sent, index) })
  const place = state.unsent.indexOf(slot)
  return place < 0 ? state : changed(state, { unsent: without(state.unsent, place) })
}

/** When the call that stands in the way has left the window. */
function freeAt(state: RateState, window: RateWindow, now: number, count: number): number {
  const settled = state.older.length + state.recent.length
  const index = settled + state.sent.length + state.unsent.length - 1 - (window.max - count)
  if (index < 0) return now
  // One more millisecond: a service that counts whole milliseconds may count both ends.
  return latestInstant(state, index, now) + window.lengthMs + 1
}

/** The latest instant at which a call can be counted, by its place in the order of all calls. */
function latestInstant({ older, recent, sent, marginMs }: RateState, index: number, now: number): number {
  const settled = older[index] ?? recent[index - older.length]
  return settled ?? (sent[index - older.length - recent.length]?.sentAt ?? now) + marginMs
}

/** Calls that have been under way for longer than the margin were counted by its end. */
function settleByTime(state: RateState, now: number): RateState {
  const { sent, marginMs } = state
  if ((sent[0]?.sentAt ?? now) + marginMs > now) return state
  const open = sent.findIndex(({ sentAt }) => sentAt + marginMs > now)
  const over = open < 0 ? sent.length : open
  const instants = sent.slice(0, over).map(({ sentAt }) => sentAt + marginMs)
  return append(changed(state, { sent: sent.slice(over) }), instants)
}

/** A spread would read better, and take longer than all the rest: this is done several times for every call. */
function changed(state: RateState, change: Partial<RateState>): RateState {
  return {
    marginMs: state.marginMs,
    older: change.older ?? state.older,
    recent: change.recent ?? state.recent,
    sent: change.sent ?? state.sent,
    unsent: change.unsent ?? state.unsent,
    nextId: change.nextId ?? state.nextId,
  }
}

/** Mostly it is the first that goes, which leaves one run to copy. */
function without<Item>(items: readonly Item[], index: number): readonly Item[] {
  return index === 0 ? items.slice(1) : items.toSpliced(index, 1)
}

/** Instants are settled in their order, so that the list stays sorted; a clock that was set back is outlasted. */
function append(state: RateState, instants: readonly number[]): RateState {
  const last = state.recent.at(-1) ?? state.older.at(-1) ?? 0
  const later = instants.map((instant) => Math.max(instant, last))
  return changed(state, { recent: [...state.recent, ...later] })
}

/** Forgets what no window can hold any more, once in a while: the state stays as small as the largest window. */
function compact(state: RateState, windows: readonly RateWindow[], now: number): RateState {
  // Adding a call copies the recent ones, this copies all of them: together least when one is the root of the other.
  if (state.recent.length < Math.max(shortestRecent, Math.sqrt(state.older.length))) return state
  const lengthMs = Math.max(0, ...windows.map((window) => window.lengthMs))
  const max = Math.max(0, ...windows.map((window) => window.max))
  const kept = Math.max(
    firstAfter(state.older, now - lengthMs - 1),
    state.older.length + state.recent.length - max,
  )
  return changed(state, { older: state.older.slice(kept).concat(state.recent), recent: [] })
}

/** The index of the first instant after this time in a rising list. */
function firstAfter(instants: readonly number[], time: number): number {
  let low = 0
  let high = instants.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((instants[middle] as number) > time) high = middle
    else low = middle + 1
  }
  return low
}
