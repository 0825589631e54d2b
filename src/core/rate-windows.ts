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
  /** Calls for which that instant is still open. */
  readonly open: readonly OpenSlot[]
  readonly nextId: number
}

/** A call that has its place in the windows; it counts as being sent now until it is sent. */
export interface OpenSlot {
  readonly id: number
  readonly sentAt: number | null
}

/** Either the places, or the earliest time to ask again. */
export type Reservation =
  | { readonly isGranted: true; readonly state: RateState; readonly slots: readonly number[] }
  | { readonly isGranted: false; readonly state: RateState; readonly untilMs: number }

const recentLength = 128

/** A state in which nothing was called yet. */
export function createRateState(marginMs: number): RateState {
  return { marginMs, older: [], recent: [], open: [], nextId: 1 }
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
  const slots = Array.from({ length: count }, (_, index) => settled.nextId + index)
  const open = settled.open.concat(slots.map((id) => ({ id, sentAt: null })))
  return { isGranted: true, state: { ...settled, open, nextId: settled.nextId + count }, slots }
}

/** Notes that the request goes out now. */
export function markSent(state: RateState, slot: number, now: number): RateState {
  return { ...state, open: state.open.map((open) => (open.id === slot ? { id: slot, sentAt: now } : open)) }
}

/** Notes that the answer is here: the call was counted at this instant at the latest. */
export function markAnswered(state: RateState, slot: number, now: number): RateState {
  const settled = settleByTime(state, now)
  if (!settled.open.some(({ id }) => id === slot)) return settled
  return append(removeSlot(settled, slot), [now])
}

/** Gives the place back. Only for a call that was certainly not sent. */
export function removeSlot(state: RateState, slot: number): RateState {
  return { ...state, open: state.open.filter(({ id }) => id !== slot) }
}

/** When the call that stands in the way has left the window. */
function freeAt(state: RateState, window: RateWindow, now: number, count: number): number {
  const { older, recent, open } = state
  const index = older.length + recent.length + open.length - 1 - (window.max - count)
  if (index < 0) return now
  const instant =
    index < older.length
      ? older[index]
      : index < older.length + recent.length
        ? recent[index - older.length]
        : openInstants(state, now)[index - older.length - recent.length]
  // One more millisecond: a service that counts whole milliseconds may count both ends.
  return (instant ?? now) + window.lengthMs + 1
}

function openInstants({ open, marginMs }: RateState, now: number): readonly number[] {
  return open.map(({ sentAt }) => (sentAt ?? now) + marginMs).sort((a, b) => a - b)
}

/** Calls that have been under way for longer than the margin were counted by its end. */
function settleByTime(state: RateState, now: number): RateState {
  const isOver = ({ sentAt }: OpenSlot): boolean => sentAt !== null && sentAt + state.marginMs <= now
  if (!state.open.some(isOver)) return state
  const instants = state.open.filter(isOver).map(({ sentAt }) => (sentAt ?? now) + state.marginMs)
  const open = state.open.filter((slot) => !isOver(slot))
  return append(
    { ...state, open },
    instants.sort((a, b) => a - b),
  )
}

/** Instants are settled in their order, so that the list stays sorted; a clock that was set back is outlasted. */
function append(state: RateState, instants: readonly number[]): RateState {
  const last = state.recent.at(-1) ?? state.older.at(-1) ?? 0
  return { ...state, recent: state.recent.concat(instants.map((instant) => Math.max(instant, last))) }
}

/** Forgets what no window can hold any more, once in a while: the state stays as small as the largest window. */
function compact(state: RateState, windows: readonly RateWindow[], now: number): RateState {
  if (state.recent.length < recentLength) return state
  const lengthMs = Math.max(0, ...windows.map((window) => window.lengthMs))
  const max = Math.max(0, ...windows.map((window) => window.max))
  const kept = Math.max(
    firstAfter(state.older, now - lengthMs - 1),
    state.older.length + state.recent.length - max,
  )
  return { ...state, older: state.older.slice(kept).concat(state.recent), recent: [] }
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
