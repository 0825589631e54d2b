import type { RateLimit } from '../action.ts'

/**
 * Exact sliding windows. The service counts a call at an instant between its request and its answer that this process
 * cannot see. So a call leaves a window one whole length after the latest instant of its count: the answer, or the
 * request plus a margin, whichever is first. Network delay then never breaks a window at the service.
 */

/** At most `max` calls in any `lengthMs`. */
export interface RateWindow {
  readonly max: number
  readonly lengthMs: number
}

/**
 * The calls that can still count against a window: plain data that JSON can hold, and the functions here depend on
 * nothing else. They change the state they are given and answer with it: copying lists of hundreds of calls at every
 * step of a call would take longer than all else that a client does.
 */
export interface RateState {
  /** A request is counted within this time of being sent, in milliseconds. */
  readonly marginMs: number
  /** A call can be given back until this long after its margin, in milliseconds. */
  readonly keptMs: number
  /** The latest instants at which calls can have been counted, rising. */
  readonly counted: number[]
  /** Calls that are under way or can be given back, in the order of their sending. */
  readonly sent: SentSlot[]
  /** Calls that have their place and are not sent: they count as being sent now. */
  readonly unsent: number[]
  nextId: number
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

const leastForgotten = 32

/** A state in which nothing was called yet. */
export function createRateState(marginMs: number, keptMs = 0): RateState {
  return { marginMs, keptMs, counted: [], sent: [], unsent: [], nextId: 1 }
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
  const untilMs = freeFrom(state, windows, now, count)
  if (untilMs > now) return { isGranted: false, state, untilMs }
  const slots: number[] = []
  for (let taken = 0; taken < count; taken++) slots.push(state.nextId++)
  state.unsent.push(...slots)
  return { isGranted: true, state, slots }
}

/** A permit that is granted before its time, or the earliest time of one. */
export type ReservationAhead =
  | { readonly isGranted: true; readonly slot: number; readonly fromMs: number }
  | { readonly isGranted: false; readonly untilMs: number }

/**
 * Takes one permit that is valid from `fromMs` on, for `validMs`. The caller sends the request in that time or not at
 * all, and it counts as sent at the end. No permit is granted for after `latestMs`.
 */
export function reserveAhead(
  state: RateState,
  windows: readonly RateWindow[],
  now: number,
  { earliestMs, latestMs, validMs }: { earliestMs: number; latestMs: number; validMs: number },
): ReservationAhead {
  const fromMs = Math.max(earliestMs, freeFrom(state, windows, now, 1))
  if (fromMs > latestMs) return { isGranted: false, untilMs: fromMs }
  const slot = state.nextId++
  insertSent(state, slot, fromMs + validMs)
  return { isGranted: true, slot, fromMs }
}

/** From when on `count` places are free in every window, if nothing else happens until then: now, or later. */
export function freeFrom(
  state: RateState,
  windows: readonly RateWindow[],
  now: number,
  count: number,
): number {
  settleByTime(state, now)
  forget(state, windows, now)
  let untilMs = now
  for (const window of windows) {
    if (count > window.max) throw new RangeError(`${count} calls never fit a window of ${window.max}`)
    untilMs = Math.max(untilMs, freeAt(state, window, now, count))
  }
  return untilMs
}

/** Notes that the request goes out now. */
export function markSent(state: RateState, slot: number, now: number): RateState {
  const { sent, unsent } = state
  const index = unsent.indexOf(slot)
  if (index < 0) return state
  unsent.splice(index, 1)
  sent.push({ id: slot, sentAt: Math.max(now, sent.at(-1)?.sentAt ?? 0) })
  return state
}

/** Notes that the answer is here: the call was counted at this instant at the latest. */
export function markAnswered(state: RateState, slot: number, now: number): RateState {
  settleByTime(state, now)
  if (remove(state, slot)) settle(state, now)
  return state
}

/** Gives the place back. Only for a call that was certainly not sent. */
export function removeSlot(state: RateState, slot: number): RateState {
  remove(state, slot)
  return state
}

function insertSent({ sent }: RateState, id: number, sentAt: number): void {
  const index = sent.findLastIndex((other) => other.sentAt <= sentAt)
  sent.splice(index + 1, 0, { id, sentAt })
}

function remove({ sent, unsent }: RateState, slot: number): boolean {
  const index = sent.findIndex(({ id }) => id === slot)
  if (index >= 0) return sent.splice(index, 1).length > 0
  const place = unsent.indexOf(slot)
  return place >= 0 && unsent.splice(place, 1).length > 0
}

/** When the oldest call in the window has left it. */
function freeAt(state: RateState, window: RateWindow, now: number, count: number): number {
  const { counted, sent, unsent } = state
  const index = counted.length + sent.length + unsent.length - 1 - (window.max - count)
  if (index < 0) return now
  // One more millisecond: a service that counts whole milliseconds may count both ends.
  return latestInstant(state, index, now) + window.lengthMs + 1
}

/** The latest instant at which a call can be counted, by its place in the order of all calls. */
function latestInstant({ counted, sent, marginMs }: RateState, index: number, now: number): number {
  return counted[index] ?? (sent[index - counted.length]?.sentAt ?? now) + marginMs
}

/** Calls that have been under way for longer than the margin were counted by its end. */
function settleByTime(state: RateState, now: number): void {
  const { sent, marginMs, keptMs } = state
  let over = 0
  for (const { sentAt } of sent) {
    if (sentAt + marginMs + keptMs > now) break
    settle(state, sentAt + marginMs)
    over++
  }
  if (over > 0) sent.splice(0, over)
}

/** Instants are settled in their order, so that the list stays sorted; a clock that was set back is outlasted. */
function settle({ counted }: RateState, instant: number): void {
  counted.push(Math.max(instant, counted.at(-1) ?? 0))
}

/** Forgets what no window can hold any more, once in a while: the state stays as small as the largest window. */
function forget({ counted }: RateState, windows: readonly RateWindow[], now: number): void {
  // What stays moves to the front each time: together least when a share is forgotten that is the root of all.
  const share = Math.ceil(Math.max(leastForgotten, Math.sqrt(counted.length)))
  if (counted.length < share) return
  let lengthMs = 0
  let max = 0
  for (const window of windows) {
    lengthMs = Math.max(lengthMs, window.lengthMs)
    max = Math.max(max, window.max)
  }
  const over = now - lengthMs - 1
  if (counted.length - max < share && (counted[share - 1] as number) > over) return
  counted.splice(0, Math.max(firstAfter(counted, over), counted.length - max))
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

/** The windows that calls must fit under a limit; a part that is left out limits nothing. */
export function windowsOf(limit: Partial<Omit<RateLimit, 'per'>>): readonly RateWindow[] {
  const { perSecond, perMinute, perDay } = limit
  return [...window(perSecond, 1000), ...window(perMinute, 60_000), ...window(perDay, 86_400_000)]
}

function window(max: number | undefined, lengthMs: number): readonly RateWindow[] {
  return max === undefined ? [] : [{ max, lengthMs }]
}
