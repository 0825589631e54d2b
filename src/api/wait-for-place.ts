import { RunbookError } from '../core/run-error.ts'
import type { AcquireOptions, RateLease } from './rate-budget.ts'
import { createTurns, type Turns } from './turns.ts'
import { type CallWait, type Sleep, sleepUntil, steadyNow } from './waits.ts'

/** Why there is no place now, with times of {@link steadyNow}. */
export interface NoPlace extends Pick<CallWait, 'reason'> {
  /** When there will be one, if nothing else happens until then. */
  readonly untilMs: number
  /**
   * There can be none before this.
   * @default `untilMs`
   */
  readonly askAgainMs?: number
}

/** The callers of one key. */
export interface WaitingLane {
  /** The one at the head sleeps until there is a place; the others wait behind it, by priority. */
  readonly head: Turns
  /** How many wait, the one at the head among them. */
  waiting: number
  /** What the one at their head sleeps in: whoever ends it has it ask again. */
  sleep: Sleep | undefined
}

/** A lane that nobody waits in. */
export function createWaitingLane(): WaitingLane {
  return { head: createTurns(1), waiting: 0, sleep: undefined }
}

type Ask = () => RateLease | NoPlace | Promise<RateLease | NoPlace>

/**
 * Waits in a lane for its head, and there until asking gives a place. An answer without a promise is acted on at once,
 * so that nothing that would end the sleep can happen before it begins. `giveUp` is called where nobody waits at the
 * head any more though no place was given, before the next one comes there.
 *
 * Rejects with `RequestTooFrequently` as soon as the wait is known to be longer than the caller allows, and with
 * `Cancelled` when the signal is aborted.
 */
export async function waitForPlace(
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
  let told: NoPlace | undefined
  while (true) {
    const asked = ask()
    const place = asked instanceof Promise ? await asked : asked
    if (!('untilMs' in place)) return place
    const { reason, untilMs, askAgainMs = untilMs } = place
    const waitMs = untilMs - steadyNow()
    if (waitMs > (options.maxWaitMs ?? Number.POSITIVE_INFINITY)) throw tooLong(reason, waitMs)
    // Every call of somebody else moves the expected end a little: that is no news.
    if (told?.reason !== reason || Math.abs(told.untilMs - untilMs) > 1000) {
      told = { reason, untilMs }
      options.onWait?.(told)
    }
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
