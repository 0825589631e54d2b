import type { ErrorCode, KnownErrorCode } from '../../core/errors.ts'
import type { RunStatus } from '../../core/events.ts'

/** The exit codes of commands. Scripts depend on them: a number never changes its meaning. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 130

/** How a command ended. */
export type CommandEnd =
  | 'succeeded'
  | 'failed'
  /** Wrong usage, an invalid runbook or invalid inputs: nothing was sent. */
  | 'usage'
  | 'cancelled'
  /** The outcome is unknown: a person resolves it. */
  | 'unresolved'
  /** Something is missing on this machine or its network: a server, a key, a writable folder. */
  | 'environment'
  | 'interrupted'

export const exitCodes: Readonly<Record<CommandEnd, ExitCode>> = {
  succeeded: 0,
  failed: 1,
  usage: 2,
  cancelled: 3,
  unresolved: 4,
  environment: 5,
  interrupted: 130,
}

/** Failures of the connection or of the key. */
const connectionCodes: readonly string[] = [
  'MissingKey',
  'Unauthorized',
  'NameNotFound',
  'ConnectionRefused',
  'ConnectTimeout',
  'TlsFailed',
  'ProxyRefused',
  'RedirectRefused',
  'ForeignAnswer',
  'RouteNotFound',
] satisfies KnownErrorCode[]

/** Failures of this machine, or of its configuration. */
const localCodes: readonly string[] = [
  'FileNotWritten',
  'DataDirUnusable',
  'PayloadUnreadable',
  'MissingSecret',
  'NoPublicUrl',
  'RunInUse',
  'CopiedJournal',
  'TemporalNotInstalled',
  'TemporalUnavailable',
  'TemporalDenied',
  'NamespaceNotFound',
  'SearchAttributesMissing',
  'NoWorker',
  'WrongTaskQueue',
  'CodeCannotReplay',
  'BuildIsGone',
  'RunUnanswerable',
  'PlanTooLarge',
] satisfies KnownErrorCode[]

/** Failures of the command line. */
const usageCodes: readonly string[] = [
  'InvalidInput',
  'ConcurrencyConflict',
  'OutsideSandbox',
] satisfies KnownErrorCode[]

/** The exit code of a single call, or of a run that could not start, that ended with this error. */
export function exitCodeOfError(code: ErrorCode): ExitCode {
  if (usageCodes.includes(code)) return exitCodes.usage
  if (code === 'OutcomeUnknown') return exitCodes.unresolved
  if (code === 'Cancelled' || code === 'Interrupted') return exitCodes.interrupted
  if (localCodes.includes(code) || connectionCodes.includes(code)) return exitCodes.environment
  return exitCodes.failed
}

/** The end of a run that determines its exit code. */
export interface RunEnd {
  readonly status: RunStatus
  readonly errorCode?: ErrorCode | undefined
  /** The service answered at least one call. */
  readonly wasAnswered: boolean
}

/**
 * The exit code of a run. A rejection counts like a cancellation. A run without any answer because of its connection, or
 * that could not write its files, failed because of its environment. Every other failure is one of the run.
 */
export function exitCodeOfRun({ status, errorCode, wasAnswered }: RunEnd): ExitCode {
  switch (status) {
    case 'succeeded':
      return exitCodes.succeeded
    case 'cancelled':
      return exitCodes.cancelled
    case 'unknown':
      return exitCodes.unresolved
    case 'interrupted':
      return exitCodes.interrupted
    case 'failed':
      if (errorCode === undefined) return exitCodes.failed
      if (errorCode === 'ApprovalRejected') return exitCodes.cancelled
      if (localCodes.includes(errorCode)) return exitCodes.environment
      return !wasAnswered && connectionCodes.includes(errorCode) ? exitCodes.environment : exitCodes.failed
  }
}
