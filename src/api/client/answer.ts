import type { JsonObject } from '../../core/json.ts'
import type { OperationInput, OperationMethod, OperationOutput } from '../operations/index.ts'
import type { CallWait } from '../pacing/waits.ts'
import type { RecordSummary } from '../session-record/index.ts'

/** The answer to a call. */
export interface ServiceAnswer<Output> {
  readonly data: Output
  /** The service's id of the last request, to quote when reporting. */
  readonly requestId: string | undefined
  /** Of all requests, where a call took several. */
  readonly requestIds: readonly string[]
  /** Warnings: values that the document does not list, numbers that are given as text. */
  readonly warnings: readonly string[]
}

/** How one call is made. */
export interface CallOptions {
  /** Ends the call wherever it is: waiting, sending or reading. The call rejects with `Cancelled`. */
  readonly signal?: AbortSignal | undefined
  /**
   * Ends the call only while nothing of it was sent: `Cancelled`, with `notSent`. After that the call runs to its
   * end, for callers that want to stop and still know the result of a write.
   */
  readonly signalBeforeSending?: AbortSignal | undefined
  /**
   * Time for one attempt in milliseconds, from connecting to the last byte; waiting before it does not count. Not
   * below what the operation needs (E4 35 s, E6 60 s).
   * @default the operation's own
   */
  readonly timeoutMs?: number | undefined
  /** Called when the call starts to wait, with the reason. */
  readonly onWait?: ((wait: CallWait) => void) | undefined
  /** Called when a call has stopped waiting for the rate limit or its target, with or without a permit. */
  readonly onWaitOver?: (() => void) | undefined
  /**
   * Higher priorities are served first.
   * @default 0
   */
  readonly priority?: number | undefined
}

/** How a session is exported. */
export interface ExportOptions extends CallOptions {
  /** The file. An existing file is replaced once the record is whole. */
  readonly file: string
}

/** How the lines of a session are read. */
export interface StreamOptions extends CallOptions {
  /** Called after the last line of a record that is whole, with its summary. */
  readonly onEnd?: ((summary: RecordSummary) => void) | undefined
}

/** How a single attempt is made. */
export interface AttemptOptions extends CallOptions {
  /** The file for `exportSession`, which requires it. */
  readonly file?: string | undefined
  /**
   * The number of this attempt, for the log.
   * @default 1
   */
  readonly attempt?: number | undefined
  /**
   * Called when all permits for the request are held and its connection is open, and awaited before the request leaves.
   * Called again where a permit was over by then, after `unsent` of the call before was aborted. When it rejects, nothing
   * is sent, and the call rejects with the same error.
   */
  readonly beforeSending?: ((unsent: AbortSignal) => Promise<void>) | undefined
}

/** Operations that take any number of items, split into several calls. */
export type BatchedMethod = 'getApplications' | 'invokeTools'

/** What is added to the answer of an operation that was split. */
export interface BatchTotals {
  readonly total: number
  readonly succeeded: number
  readonly failed: number
  readonly failures: readonly BatchFailure[]
}

/** One item that failed. */
export interface BatchFailure {
  /** Its place among the items. */
  readonly index: number
  readonly code: string
  readonly message: string
  /** The item's name, where it is a tool. */
  readonly tool?: string
  /** The item itself, where it is an application. */
  readonly application_id?: string
}

/** Items that the service does not know. */
export interface BatchMissing {
  readonly missing: readonly string[]
}

/** The answer of a client method. */
export type CallOutput<M extends OperationMethod> = M extends 'getApplications'
  ? OperationOutput<M> & BatchTotals & BatchMissing
  : M extends 'invokeTools'
    ? OperationOutput<M> & BatchTotals
    : OperationOutput<M>

/** Input that is checked at run time may be untyped. */
export type UncheckedInput<M extends OperationMethod> = OperationInput<M> | JsonObject
