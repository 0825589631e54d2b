import { allHandlersFinished, condition, continueAsNew } from '@temporalio/workflow'
import {
  countUse,
  createRateState,
  type RateWindow,
  removeSlot,
  reserveAhead,
  type WindowsUse,
} from '../../../../core/pacing/index.ts'
import {
  type RateAnswer,
  type RateCount,
  type RateRequest,
  type Reserved,
  rateCountQuery,
  rateUseQuery,
  reserveUpdate,
} from '../../limits/messages.ts'
import { followDeployments, hasLongHistory } from '../follow-deployments.ts'
import { onQuery, onUpdate } from '../handlers.ts'

/** A limiter of more events than this continues as a new execution. */
const mostEvents = 4000
/** A request is counted by the service within this time of being sent. */
const marginMs = 50
/** So late can a process report that it has not used what it had reserved. */
const keptMs = 10_000
/** A limiter that no process has asked for this long ends, if its windows are empty. */
const idleMs = 10_000
/** No call is reserved for a later time: what a process that died leaves unused is never more than this. */
const horizonMs = 15_000
/** How often a process that has nothing asks again while others can still give back what they have. */
const askAgainMs = 5000
/** Several calls are reserved at once in this time alone. Of what is farther ahead each process has one at a time. */
const togetherMs = 1500
/** A process gets at most this part of the smallest window at once, so that others find room. */
const mostPart = 1 / 4
/** More reservations than a limiter makes in a millisecond. */
const slotsEachMs = 1000

/**
 * Counts the calls of one key for all processes: answers each request at once with the times of its calls. They count
 * from the end of their validity, used or not. The limiter ends when all windows are empty.
 */
export async function opsbookRateLimiter(before?: RateCount): Promise<void> {
  const count = before ?? createRateCount(Date.now())
  count.clockMs = Math.max(count.clockMs, Date.now())
  onUpdate<RateAnswer, RateRequest>(reserveUpdate, (request) => answerRequest(count, request, Date.now()))
  // The time comes with the query: that of the isolate stands still between tasks.
  onQuery<WindowsUse, [readonly RateWindow[], number]>(rateUseQuery, (windows, nowMs) =>
    countUse(count.rate, windows, Math.max(count.clockMs, nowMs), count.pausedUntilMs),
  )
  onQuery<RateCount>(rateCountQuery, () => count)

  for (;;) {
    const restMs = idleFromMs(count) - Date.now()
    if (restMs <= 0) break
    if (!(await condition(() => hasLongHistory(mostEvents), restMs))) continue
    await condition(allHandlersFinished)
    await continueAsNew<typeof opsbookRateLimiter>(count)
  }
  await condition(allHandlersFinished)
}

followDeployments(opsbookRateLimiter)

/**
 * Starts to count. Its slots have numbers that no earlier limiter has used: what processes report late about those is
 * ignored.
 */
export function createRateCount(nowMs: number): RateCount {
  const rate = { ...createRateState(marginMs, keptMs), nextId: nowMs * slotsEachMs }
  return { rate, pausedUntilMs: 0, clockMs: nowMs, longestMs: 0 }
}

/** Reserves calls, as many as fit now or soon. Changes the count. */
export function answerRequest(count: RateCount, request: RateRequest, nowMs: number): RateAnswer {
  const { windows, want, forMs, unused, pauseMs = 0 } = request
  const { rate } = count
  const now = Math.max(count.clockMs, nowMs)
  count.clockMs = now
  count.pausedUntilMs = Math.max(count.pausedUntilMs, now + pauseMs)
  count.longestMs = Math.max(count.longestMs, ...windows.map(({ lengthMs }) => lengthMs))
  for (const slot of unused) removeSlot(rate, slot)
  const reserved: Reserved[] = []
  const most = Math.min(want, Math.ceil(Math.min(...windows.map(({ max }) => max)) * mostPart))
  const pausedForMs = count.pausedUntilMs - now
  while (reserved.length < most) {
    const latestMs = now + (reserved.length === 0 ? horizonMs : togetherMs)
    const times = { earliestMs: now + pausedForMs, latestMs, validMs: forMs }
    const given = reserveAhead(rate, windows, now, times)
    if (given.isGranted) reserved.push({ slot: given.slot, inMs: given.fromMs - now })
    else if (reserved.length > 0) break
    else return { reserved, pausedForMs, none: noneUntil(count, given.untilMs) }
  }
  return { reserved, pausedForMs }
}

function noneUntil({ rate, clockMs }: RateCount, freeMs: number): NonNullable<RateAnswer['none']> {
  const freeInMs = freeMs - clockMs
  const soonestMs = freeInMs - horizonMs
  return { freeInMs, askAgainInMs: rate.sent.length > 0 ? Math.min(askAgainMs, soonestMs) : soonestMs }
}

/** When all windows are empty and no process has asked for a while. */
function idleFromMs({ rate, pausedUntilMs, clockMs, longestMs }: RateCount): number {
  const lastMs = Math.max(rate.counted.at(-1) ?? 0, (rate.sent.at(-1)?.sentAt ?? 0) + rate.marginMs)
  return Math.max(lastMs + longestMs + 1, pausedUntilMs, clockMs + idleMs)
}
