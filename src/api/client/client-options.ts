import type { RetryPolicy } from '../../core/plan/index.ts'
import type { OperationMethod } from '../operations/index.ts'
import type { RateBudget } from '../pacing/rate-budget.ts'
import type { TargetLocks } from '../pacing/target-locks.ts'

/** How a client reaches the service, and how it behaves. */
export interface ClientOptions {
  /** Address of the service: `http` or `https`, a path if need be, no query and no credentials. */
  readonly baseUrl: string
  /** The app key of the account. It never shows up in errors, logs or results. */
  readonly appKey: string
  /**
   * Name of the account: clients with the same name and the same `budget` share the windows of the rate limits.
   * @default made from the base URL and a hash of the key
   */
  readonly account?: string
  /**
   * Counts the calls against the rate limits.
   * @default a budget of this client alone
   */
  readonly budget?: RateBudget
  /**
   * Runs one call per target at a time.
   * @default locks of this client alone
   */
  readonly targetLocks?: TargetLocks
  /**
   * The rate limits to keep: those of the document, none, or others for single operations.
   * @default 'document'
   */
  readonly limits?: ClientLimits
  /**
   * The longest wait for the rate limit, in milliseconds: for one permit, and for all pauses after
   * `RequestTooFrequently` of one call together.
   * @default 600_000
   */
  readonly maxWaitMs?: number
  /**
   * How a failed call is retried. A create with an unknown outcome is never retried.
   * @default { attempts: 1 }
   */
  readonly retry?: Partial<RetryPolicy>
  /**
   * Language of the service's messages.
   * @default 'en'
   */
  readonly acceptLanguage?: string
  /**
   * A larger answer is `AnswerTooLarge`. Exported sessions are not limited.
   * @default 33_554_432
   */
  readonly maxAnswerBytes?: number
  /**
   * Address of a proxy, or `none`.
   * @default the variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY
   */
  readonly proxy?: string
  /**
   * Requests in flight at the same time.
   * @default 500
   */
  readonly concurrency?: number
  /** Receives every attempt. */
  readonly logger?: Logger
}

/** The document's limits, none, or others for single operations. */
export type ClientLimits = 'document' | 'off' | { readonly [M in OperationMethod]?: LimitOverride }

/** Other limits for one operation. What is left out is not limited. */
export type LimitOverride =
  | 'off'
  | { readonly perSecond?: number; readonly perMinute?: number; readonly perDay?: number }

/** The log of the client: a subset of the logger of pino. */
export interface Logger {
  debug(fields: CallLog, message: string): void
  warn(fields: CallLog, message: string): void
}

/** One attempt, as it is logged. Neither keys nor inputs nor answers are part of it. */
export interface CallLog {
  readonly operation: string
  readonly attempt: number
  readonly durationMs: number
  readonly requestId?: string
  /** The error code, where the attempt failed. */
  readonly code?: string
}
