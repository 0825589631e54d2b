import {
  ActivityFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  scheduleActivity,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow'
import {
  countUse,
  createRateState,
  freeFrom,
  markAnswered,
  moveSent,
  type RateState,
  type RateWindow,
  removeSlot,
  reserveAhead,
  type WindowsUse,
} from '../../../../core/pacing/index.ts'
import {
  askUpdate,
  type GrantedPermit,
  type HandedPermits,
  noteSignal,
  type RateAnswer,
  type RateAsk,
  type RateNotes,
  rateUseQuery,
  takePermitsActivity,
} from '../../limits/messages.ts'
import { followDeployments } from '../follow-deployments.ts'
import { onQuery, onSignal, onUpdate } from '../handlers.ts'
import { createEarliestTimer } from '../timers.ts'

/** A process that waits for permits, and when it asked last. */
interface Waiter {
  readonly ask: RateAsk
  readonly askedMs: number
}

/** The state that a limiter hands to its next execution. */
export interface ContinuedLimiter {
  readonly count: RateCount
  readonly line: readonly Waiter[]
}

/** A limiter of more events than this continues as a new execution. */
const mostEvents = 4000
/** A process that does not take its permits within this time has died, or can no longer use them. */
const takeWithinMs = 2000

/**
 * Counts the calls of one key for all processes: grants permits in the order of the requests, and records their use. It
 * answers every request immediately. A process that has to wait is in line, and receives its permits on its own task
 * queue. The limiter ends when all windows are empty.
 */
export async function opsbookRateLimiter(before?: ContinuedLimiter): Promise<void> {
  const count = before?.count ?? createRateCount(Date.now())
  count.heardMs = Date.now()
  const line = [...(before?.line ?? [])]
  const timer = createEarliestTimer()
  let handing = 0
  let isDraining = false

  const hear = (notes: RateNotes): void => {
    count.clockMs = Math.max(count.clockMs, Date.now())
    count.heardMs = count.clockMs
    takeNotes(count, notes)
    if (notes.pauseMs !== undefined)
      count.pausedUntilMs = Math.max(count.pausedUntilMs, count.clockMs + notes.pauseMs)
  }
  /** Grants permits from the head of the line. Returns the permits of `asking`, if it gets any. */
  const serve = (asking?: string): RateAnswer | undefined => {
    let own: RateAnswer | undefined
    while (!isDraining && line[0]) {
      const { ask, askedMs } = line[0]
      const given = grantPermits(count, ask)
      if ('waitUntilMs' in given) {
        timer.set(given.waitUntilMs)
        break
      }
      line.shift()
      const answer = { ...given, atMs: count.clockMs, heldMs: count.clockMs - askedMs }
      if (ask.process === asking) own = answer
      else void hand(ask, answer)
    }
    return own
  }
  const hand = async ({ key, ask, process }: RateAsk, answer: RateAnswer): Promise<void> => {
    handing++
    const order: HandedPermits = { key, ask, answer }
    try {
      await scheduleActivity(takePermitsActivity, [order], {
        taskQueue: process,
        scheduleToStartTimeout: takeWithinMs,
        startToCloseTimeout: takeWithinMs,
        retry: { maximumAttempts: 1 },
      })
    } catch (thrown) {
      if (wasNeverTaken(thrown)) for (const { slot } of answer.permits) removeSlot(count.rate, slot)
    }
    handing--
    count.clockMs = Math.max(count.clockMs, Date.now())
    serve()
  }
  onUpdate<RateAnswer, RateAsk>(askUpdate, (ask) => {
    hear(ask)
    const waiter = { ask, askedMs: count.clockMs }
    const at = line.findIndex((other) => other.ask.process === ask.process)
    if (at < 0) line.push(waiter)
    else line[at] = waiter
    return serve(ask.process) ?? { ...inLine, atMs: count.clockMs }
  })
  onSignal<[RateNotes]>(noteSignal, (notes) => {
    hear(notes)
    serve()
  })
  // The time comes with the query: that of the isolate stands still between tasks.
  onQuery<WindowsUse, [readonly RateWindow[], number]>(rateUseQuery, (windows, nowMs) =>
    countUse(count.rate, windows, Math.max(count.clockMs, nowMs), count.pausedUntilMs),
  )

  const isLong = (): boolean => {
    const { continueAsNewSuggested, historyLength } = workflowInfo()
    return continueAsNewSuggested || historyLength > mostEvents
  }
  serve()
  while (true) {
    const idleMs = idleFromMs(count)
    const isIdle = line.length === 0 && handing === 0
    if (isIdle && Date.now() >= idleMs) break
    if (line.length === 0) timer.set(Math.max(idleMs, Date.now() + takeWithinMs))
    await condition(() => timer.hasFired() || isLong())
    count.clockMs = Math.max(count.clockMs, Date.now())
    if (isLong()) {
      isDraining = true
      await condition(() => handing === 0 && allHandlersFinished())
      await continueAsNew<typeof opsbookRateLimiter>({ count, line })
    }
    serve()
  }
  await condition(allHandlersFinished)
}

followDeployments(opsbookRateLimiter)

const inLine = { permits: [], isShared: true, isWaiting: true } as const

function wasNeverTaken(thrown: unknown): boolean {
  const cause = thrown instanceof ActivityFailure ? thrown.cause : thrown
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START'
}

/** The calls of one key, counted: plain data, which the functions here change in permit. */
export interface RateCount {
  readonly rate: RateState
  pausedUntilMs: number
  /** Never runs back, whatever the server's clock does. */
  clockMs: number
  /** When each process has sent its last request. */
  readonly seen: Record<string, number>
  /** When the last message of any process arrived. */
  heardMs: number
  /** The longest window: after this time without a call all windows are empty. */
  longestMs: number
}

/** A permit is granted this long before it can be used, so that the round trip costs no time. */
const lookaheadMs = 1500
/** How long a permit is valid besides the round trip: for a process without competitors, and for one of several. */
const aloneMs = 2000
const sharedMs = 500
/** The longest round trip that counts: the permits of a dead process must expire. */
const longestWayMs = 5000
/** A process without a request for this long is gone. */
const goneMs = 10_000
/** The most permits of one answer. A process with competitors gets more than it wants only from half-free windows. */
const mostShared = 10
const mostAlone = 250
/** A shorter wait is not worth a second request. */
const shortMs = 250
/** A request is counted by the service within this time of being sent. */
const marginMs = 2000

/** More permits than a limiter grants in a millisecond. */
const permitsEachMs = 1000

/**
 * Starts to count. Its permits have numbers that no earlier limiter has used: late reports about earlier permits are
 * ignored.
 */
export function createRateCount(nowMs: number): RateCount {
  const rate = { ...createRateState(marginMs), nextId: nowMs * permitsEachMs }
  return { rate, pausedUntilMs: 0, clockMs: 0, seen: {}, heardMs: 0, longestMs: 0 }
}

/** Records the use of permits. Spans are subtracted from a later time than that of the process: no call counts too early. */
export function takeNotes({ rate, clockMs }: RateCount, { notes, sentByMs = clockMs }: RateNotes): void {
  const sentMs = Math.min(clockMs, sentByMs)
  for (const { slot, kind, agoMs } of notes) {
    if (kind === 'unused') removeSlot(rate, slot)
    else if (kind === 'answered') markAnswered(rate, slot, sentMs - agoMs)
    else moveSent(rate, slot, sentMs - agoMs)
  }
}

/** The part of a request that decides how many permits the process gets. */
type PermitsAsk = Pick<RateAsk, 'process' | 'windows' | 'want' | 'ahead' | 'wayMs'>

/** What a process is granted, without the times of the answer. */
type Granted = Omit<RateAnswer, 'atMs' | 'heldMs'>

/** The answer to a request, or the time of the answer if no message arrives until then. */
export function grantPermits(count: RateCount, ask: PermitsAsk): Granted | { readonly waitUntilMs: number } {
  const { rate, clockMs: now, pausedUntilMs } = count
  const { windows, want, wayMs = 0 } = ask
  const isShared = isSharedNow(count, ask.process)
  if (want === 0 && isShared) return { permits: [], isShared }
  const latestMs = now + lookaheadMs
  if (pausedUntilMs > latestMs) return { ...noneBefore(pausedUntilMs, now), isShared, reason: 'throttle' }
  count.longestMs = Math.max(count.longestMs, ...windows.map(({ lengthMs }) => lengthMs))
  const most = Math.min(want + ask.ahead, isShared ? mostShared : mostAlone)
  const forMs = (isShared ? sharedMs : aloneMs) + Math.min(wayMs, longestWayMs)
  const permits: GrantedPermit[] = []
  while (permits.length < most) {
    if (isShared && permits.length >= want && !isHalfFree(rate, windows, now)) break
    const limits = { earliestMs: Math.max(now, pausedUntilMs), latestMs, validMs: forMs }
    const permit = reserveAhead(rate, windows, now, limits)
    if (permit.isGranted) permits.push({ slot: permit.slot, inMs: permit.fromMs - now, forMs })
    else if (permits.length > 0 || want === 0) break
    else return whenNone(count, ask, permit.untilMs, isShared)
  }
  return { permits, isShared }
}

/** Competitors find half of the smallest window free after one more permit, and as many places in the others. */
function isHalfFree(rate: RateState, windows: PermitsAsk['windows'], now: number): boolean {
  const smallest = Math.min(...windows.map(({ max }) => max))
  const places = 1 + Math.ceil(smallest / 2)
  return places <= smallest && freeFrom(rate, windows, now, places) <= now
}

/** Other processes can free a permit early. The time is an answer only when they cannot. */
function whenNone(
  { rate, clockMs: now }: RateCount,
  { windows }: PermitsAsk,
  untilMs: number,
  isShared: boolean,
): ReturnType<typeof grantPermits> {
  const settled = { ...rate, counted: [...rate.counted], sent: [] }
  const surelyMs = freeFrom(settled, windows, now, 1)
  if (surelyMs <= now + lookaheadMs + shortMs) return { waitUntilMs: untilMs - lookaheadMs }
  const none = noneBefore(surelyMs, now)
  return { ...none, freeInMs: untilMs - now, isShared, reason: 'budget' }
}

function noneBefore(
  timeMs: number,
  now: number,
): Pick<RateAnswer, 'permits'> & { freeInMs: number; askAgainInMs: number } {
  return { permits: [], freeInMs: timeMs - now, askAgainInMs: Math.max(0, timeMs - now - lookaheadMs) }
}

function isSharedNow({ seen, clockMs }: RateCount, process: string): boolean {
  for (const [name, atMs] of Object.entries(seen)) if (clockMs - atMs > goneMs) delete seen[name]
  seen[process] = clockMs
  return Object.keys(seen).length > 1
}

/** When all windows are empty and no process is known. */
function idleFromMs({ rate, pausedUntilMs, heardMs, longestMs }: RateCount): number {
  const lastMs = Math.max(rate.counted.at(-1) ?? 0, (rate.sent.at(-1)?.sentAt ?? 0) + rate.marginMs)
  return Math.max(lastMs + longestMs + 1, pausedUntilMs, heardMs + goneMs)
}
