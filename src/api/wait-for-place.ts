import { RunbookError } from '../core/run-error.ts'
import type { AcquireOptions, RateLease } from './rate-budget.ts'
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
  /** What the one at their head sleeps in: whoever ends it has it ask again. */
  sleep: Sleep | undefined
}

/**
 * Waits at the head of a lane until asking gives a place. An answer without a promise is acted on at once, so that
 * nothing that would end the sleep can happen before it begins.
 *
 * Rejects with `RequestTooFrequently` as soon as the wait is known to be longer than the caller allows, and with
 * `Cancelled` when the signal is aborted.
 */
export async function waitForPlace(
  lane: WaitingLane,
  options: AcquireOptions,
  ask: () => RateLease | NoPlace | Promise<RateLease | NoPlace>,
): Promise<RateLease> {
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
