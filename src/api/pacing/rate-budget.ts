import type { RateWindow } from '../../core/pacing/index.ts'
import type { SlotOptions } from './semaphore.ts'
import type { CallWait } from './waits.ts'

/** A permit of a rate limit. End it with `done` or `cancel` in every case. */
export interface RateLease {
  /** The request leaves now. False: the permit is over, and the request must not leave. */
  sent(): boolean
  /** Whether the time of the permit has passed. Left out: it stays reserved until the request leaves. */
  isOver?(): boolean
  /** The service has answered, or no answer will arrive. */
  done(): void
  /** The request did not leave: the permit is free again. */
  cancel(): void
}

/** The permit of a call without a rate limit. */
export const unlimited: RateLease = { sent: () => true, done() {}, cancel() {} }

/** How a caller waits for a permit. */
export interface AcquireOptions extends SlotOptions {
  /** Called when waiting starts, and when the reason or the expected end changes. */
  readonly onWait?: ((wait: CallWait) => void) | undefined
  /** A longer wait for one permit fails at its start with `RequestTooFrequently` and the wait. */
  readonly maxWaitMs?: number | undefined
}

/**
 * Counts calls against the rate limits of accounts. All callers of an account must share one budget; another backend,
 * such as a database, implements this.
 */
export interface RateBudget {
  /** Resolves when one more call fits every window of this key. */
  acquire(key: string, windows: readonly RateWindow[], options?: AcquireOptions): Promise<RateLease>
  /**
   * A permit without a wait, if one is free and no call waits. Left out: {@link acquire} is called each time.
   */
  acquireNow?(key: string, windows: readonly RateWindow[]): RateLease | undefined
  /** The service said `RequestTooFrequently`: no call gets a permit before this Unix time in milliseconds. */
  pause(key: string, untilMs: number): void
}
