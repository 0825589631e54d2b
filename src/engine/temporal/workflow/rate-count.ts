import {
  createRateState,
  freeFrom,
  markAnswered,
  moveSent,
  type RateState,
  removeSlot,
  reserveAhead,
} from '../../../core/rate-windows.ts'
import type { GivenPlace, RateAnswer, RateAsk, RateNotes } from '../limiter/messages.ts'

/** The calls of one key, counted: plain data, which the functions here change in place. */
export interface RateCount {
  readonly rate: RateState
  pausedUntilMs: number
  /** Never runs back, whatever the server's clock does. */
  clockMs: number
  /** When a process has last asked, by its name. */
  readonly seen: Record<string, number>
  /** When anybody has last said anything. */
  heardMs: number
  /** After this long without a call nothing here counts any more. */
  longestMs: number
}

/** A place is given out by so much before its time: the way to the process then costs nothing. */
const lookaheadMs = 1500
/** How long a place is good for besides the way to its process: of somebody alone, of one among others. */
const aloneMs = 2000
const sharedMs = 500
/** A longer way counts as no more: of places of a process that has died nobody would hear for too long. */
const longestWayMs = 5000
/** Who has not asked for so long is gone. */
const goneMs = 10_000
/** The most that one answer gives. */
const mostShared = 10
const mostAlone = 250
/** A shorter wait is not worth a second question. */
const shortMs = 250
/** A request is counted by the service within this time of being sent. */
const marginMs = 2000

/** More than a limiter gives out in a millisecond. */
const placesEachMs = 1000

/**
 * Begins to count. Its places have numbers that none before it has given: what is told of those of another generation,
 * such as after an outage, means none of its own.
 */
export function createRateCount(nowMs: number): RateCount {
  const rate = { ...createRateState(marginMs), nextId: nowMs * placesEachMs }
  return { rate, pausedUntilMs: 0, clockMs: 0, seen: {}, heardMs: 0, longestMs: 0 }
}

/** What became of places. Spans reach back from a moment that is later than theirs: nothing counts as too early. */
export function takeNotes({ rate, clockMs }: RateCount, { notes }: RateNotes): void {
  for (const { slot, kind, agoMs } of notes) {
    if (kind === 'unused') removeSlot(rate, slot)
    else if (kind === 'answered') markAnswered(rate, slot, clockMs - agoMs)
    else moveSent(rate, slot, clockMs - agoMs)
  }
}

/** What of a question decides how many places its process gets. */
type PlacesAsk = Pick<RateAsk, 'process' | 'windows' | 'want' | 'ahead' | 'wayMs'>

/** The answer to a question, or the time at which there is one if nobody says anything until then. */
export function givePlaces(count: RateCount, ask: PlacesAsk): RateAnswer | { readonly waitUntilMs: number } {
  const { rate, clockMs: now, pausedUntilMs } = count
  const { windows, want, wayMs = 0 } = ask
  const isShared = isSharedNow(count, ask.process)
  if (want === 0 && isShared) return { places: [], isShared }
  const latestMs = now + lookaheadMs
  if (pausedUntilMs > latestMs) return { ...noneBefore(pausedUntilMs, now), isShared, reason: 'throttle' }
  count.longestMs = Math.max(count.longestMs, ...windows.map(({ lengthMs }) => lengthMs))
  const most = isShared ? Math.min(want, mostShared) : Math.min(want + ask.ahead, mostAlone)
  const forMs = (isShared ? sharedMs : aloneMs) + Math.min(wayMs, longestWayMs)
  const places: GivenPlace[] = []
  while (places.length < most) {
    const limits = { earliestMs: Math.max(now, pausedUntilMs), latestMs, validMs: forMs }
    const place = reserveAhead(rate, windows, now, limits)
    if (place.isGranted) places.push({ slot: place.slot, inMs: place.fromMs - now, forMs })
    else if (places.length > 0 || want === 0) break
    else return whenNone(count, ask, place.untilMs, isShared)
  }
  return { places, isShared }
}

/** What others do with their places can free one before its time: only where it cannot, the time is an answer. */
function whenNone(
  { rate, clockMs: now }: RateCount,
  { windows }: PlacesAsk,
  untilMs: number,
  isShared: boolean,
): ReturnType<typeof givePlaces> {
  const settled = { ...rate, counted: [...rate.counted], sent: [] }
  const surelyMs = freeFrom(settled, windows, now, 1)
  if (surelyMs <= now + lookaheadMs + shortMs) return { waitUntilMs: untilMs - lookaheadMs }
  const none = noneBefore(surelyMs, now)
  return { ...none, freeInMs: untilMs - now, isShared, reason: 'budget' }
}

function noneBefore(
  timeMs: number,
  now: number,
): Pick<RateAnswer, 'places'> & { freeInMs: number; askAgainInMs: number } {
  return { places: [], freeInMs: timeMs - now, askAgainInMs: Math.max(0, timeMs - now - lookaheadMs) }
}

function isSharedNow({ seen, clockMs }: RateCount, process: string): boolean {
  for (const [name, atMs] of Object.entries(seen)) if (clockMs - atMs > goneMs) delete seen[name]
  seen[process] = clockMs
  return Object.keys(seen).length > 1
}

/** When nothing that is known here matters any more. */
export function idleFromMs({ rate, pausedUntilMs, heardMs, longestMs }: RateCount): number {
  const lastMs = Math.max(rate.counted.at(-1) ?? 0, (rate.sent.at(-1)?.sentAt ?? 0) + rate.marginMs)
  return Math.max(lastMs + longestMs + 1, pausedUntilMs, heardMs + goneMs)
}
