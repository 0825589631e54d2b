import { type ErrorCode, errorRule } from './errors.ts'
import { type JsonValue, withoutUndefined } from './json.ts'

/** An error as data: what the journal, the events and `error` in `catch` hold. */
export interface ErrorData {
  readonly code: ErrorCode
  readonly message: string
  /** Where in the runbook: the path of the call, such as `checks/group-2`. */
  readonly path?: string
  /** The service's id for the request, to quote when reporting. */
  readonly requestId?: string
  /** How long the service asked to wait, in milliseconds. */
  readonly retryAfterMs?: number
  /** The request did not go out, whatever the code: cancelled while it still waited, for example. */
  readonly notSent?: boolean
  /**
   * An earlier process made the same attempt and ended in the middle of it. It may have executed the call, whatever the
   * result is now.
   */
  readonly mayHaveExecuted?: true
  /** The outcome of the call was unknown, and a person has resolved it. */
  readonly isSettled?: true
  /** The failure that a `catch` handled when it failed itself, or that left the outcome of a cancelled call unknown. */
  readonly cause?: ErrorData
  /**
   * What more is known, such as the signs of a truncated export. Never a secret. A `status`, of HTTP or of a command, is
   * what expressions see as `error.status`.
   */
  readonly details?: JsonValue
}

/** What an error carries besides its code and message. */
export interface RunbookErrorOptions
  extends Omit<ErrorData, 'code' | 'message' | 'mayHaveExecuted' | 'isSettled' | 'cause'> {
  readonly cause?: unknown
  /** No step may take it for a failure of its own: the whole run ends here. */
  readonly endsRun?: boolean
  /** What the reader does next, where what the code says does not fit; empty where the message says it all. */
  readonly next?: string
}

/**
 * The one error that calls and runs throw. Branch on `code`.
 *
 * Recognise it with {@link RunbookError.is}, by shape, since `instanceof` breaks between copies of the library.
 */
export class RunbookError extends Error {
  override readonly name = 'RunbookError'
  readonly code: ErrorCode
  readonly path: string | undefined
  readonly requestId: string | undefined
  readonly retryAfterMs: number | undefined
  readonly notSent: boolean
  readonly details: JsonValue | undefined
  readonly endsRun: boolean
  /** What the reader does next; left out: what the table of errors says of the code. */
  readonly next: string | undefined

  constructor(code: ErrorCode, message: string, options: RunbookErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.path = options.path
    this.requestId = options.requestId
    this.retryAfterMs = options.retryAfterMs
    this.notSent = options.notSent ?? false
    this.details = options.details
    this.endsRun = options.endsRun ?? false
    this.next = options.next
  }

  static is(value: unknown): value is RunbookError {
    return value instanceof Error && value.name === 'RunbookError' && 'code' in value
  }
}

/** The error as data, for the journal and for events. An error of any other kind is an `InternalDefect`. */
export function errorData(error: unknown): ErrorData {
  if (!RunbookError.is(error))
    return { code: 'InternalDefect', message: error instanceof Error ? error.message : String(error) }
  const { code, message, path, requestId, retryAfterMs, notSent, details } = error
  return {
    code,
    message,
    ...withoutUndefined({ path, requestId, retryAfterMs }),
    ...(notSent ? { notSent } : {}),
    ...(details === undefined ? {} : { details }),
  }
}

/** It is unknown whether the operation was executed. */
export function leavesOutcomeUnknown(error: ErrorData): boolean {
  return !error.notSent && !errorRule(error.code).provesNotExecuted
}

/** The operation was certainly not executed, and repeating it without a change would not help. */
export function isRefusedForGood(error: ErrorData): boolean {
  return !leavesOutcomeUnknown(error) && !errorRule(error.code).isTransient
}

/** Whether what was thrown must reach the end of the run: asked to stop, or nothing can be recorded any more. */
export function endsRun(thrown: unknown): boolean {
  return RunbookError.is(thrown) && (thrown.endsRun || isStop(thrown.code))
}

/** The caller wants no more: never a reason to repeat. */
export function isStop(code: ErrorCode): boolean {
  return code === 'Cancelled' || code === 'Interrupted'
}

/**
 * Refuses a command that cannot apply: nothing was sent, and nothing was changed. `next` is what the user can do; left
 * out: the message contains it.
 */
export function refused(message: string, next = ''): RunbookError {
  return new RunbookError('InvalidInput', message, { notSent: true, next })
}

/** Refuses a command that does not fit the current state of the run. */
export function refusedAsItStands(message: string, runId: string): RunbookError {
  return refused(message, `"opsbook show ${runId}" says where it stands.`)
}
