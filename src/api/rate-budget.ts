import type { RateWindow } from '../core/rate-windows.ts'
import type { TurnOptions } from './turns.ts'
import type { CallWait } from './waits.ts'

/** A place in the windows of a rate limit. End it with `done` or `cancel`, whatever happens. */
export interface RateLease {
  /** The request is going out now. Until then the place stays taken. */
  sent(): void
  /** The service has answered, or nothing more will come. */
  done(): void
  /** The request certainly did not go out: the place is free again. */
  cancel(): void
}

/** The place of a call that no window counts. */
export const unlimited: RateLease = { sent() {}, done() {}, cancel() {} }

/** How a caller waits for a place. */
export interface AcquireOptions extends TurnOptions {
  /** Told when waiting starts, and again when the reason or the expected end changes. */
  readonly onWait?: ((wait: CallWait) => void) | undefined
  /** A longer wait for one place is not begun: `RequestTooFrequently` with the time that was asked for. */
  readonly maxWaitMs?: number | undefined
}

/**
 * The rate limits of accounts, counted. Everybody who calls for an account must share one budget; a home of your own
 * (a database, another process) implements this.
 */
export interface RateBudget {
  /** Resolves when one more call fits every window of this key. */
  acquire(key: string, windows: readonly RateWindow[], options?: AcquireOptions): Promise<RateLease>
  /** A place that is free now and that nobody waits for, without waiting. Left out: {@link acquire} is asked each time. */
  acquireNow?(key: string, windows: readonly RateWindow[]): RateLease | undefined
  /** The service said `RequestTooFrequently`: nobody gets a place before this Unix time in milliseconds. */
  pause(key: string, untilMs: number): void
}
