/** What the client tells about its calls: a subset of pino's logger. */
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
