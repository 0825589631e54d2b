import { RunbookError } from '../../core/run-error.ts'
import type { AcquireOptions, RateLease } from './rate-budget.ts'
import { createSemaphore, type Semaphore } from './semaphore.ts'
import { type CallWait, type Sleep, sleepUntil, steadyNow } from './waits.ts'

/** Why no permit is free, with times of {@link steadyNow}. */
export interface NoPermit extends Pick<CallWait, 'reason'> {
  /** When a permit is expected. */
  readonly untilMs: number
  /**
   * No permit is possible before this time.
   * @default `untilMs`
   */
  readonly askAgainMs?: number
}

/** The callers of one key. */
export interface WaitingLane {
  /** The caller at the head sleeps until a permit is free; the others wait behind it, by priority. */
  readonly head: Semaphore
  /** How many callers wait, including the one at the head. */
  waiting: number
  /** The sleep of the caller at the head: ending it makes that caller ask again. */
  sleep: Sleep | undefined
}

/** An empty lane. */
export function createWaitingLane(): WaitingLane {
  return { head: createSemaphore(1), waiting: 0, sleep: undefined }
}

type Ask = () => RateLease | NoPermit | Promise<RateLease | NoPermit>

/**
 * Waits in a lane for its head, and there until `ask` answers with a permit. A synchronous answer is used in the same
 * tick, so that no wake-up is lost before the sleep begins. `giveUp` is called when the head leaves without a permit.
 *
 * Rejects with `RequestTooFrequently` as soon as the wait is longer than the caller allows, and with `Cancelled` when
 * the signal is aborted.
 */
export async function waitForPermit(
  lane: WaitingLane,
  options: AcquireOptions,
  ask: Ask,
  giveUp?: () => void,
): Promise<RateLease> {
  lane.waiting++
  try {
    const leaveHead = await lane.head.take(options)
    try {
      return await waitAtHead(lane, options, ask)
    } catch (error) {
      giveUp?.()
      throw error
    } finally {
      leaveHead()
    }
  } finally {
    lane.waiting--
  }
}

async function waitAtHead(lane: WaitingLane, options: AcquireOptions, ask: Ask): Promise<RateLease> {
  let reported: CallWait | undefined
  const report = (wait: CallWait): void => {
    reported = wait
    options.onWait?.(wait)
  }
  while (true) {
    const asked = ask()
    const permit = asked instanceof Promise ? await asked : asked
    if (!('untilMs' in permit)) return permit
    const { reason, untilMs, askAgainMs = untilMs } = permit
    const waitMs = untilMs - steadyNow()
    if (waitMs > (options.maxWaitMs ?? Number.POSITIVE_INFINITY)) throw tooLong(reason, waitMs)
    if (reported?.reason !== reason) report({ reason, untilMs })
    // Others can move the end each second. That it is not known is reported once, or records of runs would grow by it.
    else if (reported.untilMs !== undefined && untilMs - reported.untilMs > 1000) report({ reason })
    lane.sleep = sleepUntil(askAgainMs, options.signal)
    try {
      await lane.sleep.isOver
    } finally {
      lane.sleep = undefined
    }
  }
}

function tooLong(reason: CallWait['reason'], waitMs: number): RunbookError {
  const why = reason === 'throttle' ? 'the service asked to wait' : 'the rate limit is used up'
  const message = `${why}: the next call is possible in ${Math.ceil(waitMs / 1000)} s, longer than the time allowed for waiting`
  return new RunbookError('RequestTooFrequently', message, { notSent: true, retryAfterMs: Math.ceil(waitMs) })
}
