import type { ErrorCode, KnownErrorCode } from '../core/errors.ts'
import type { RunStatus } from '../core/events.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'

/** Failures of the way to the service, or of the key: nothing is wrong with what was asked. */
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

/** Failures of this machine, or of what is configured on it. */
const localCodes: readonly string[] = [
  'FileNotWritten',
  'DataDirUnusable',
  'PayloadUnreadable',
  'MissingSecret',
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

/** What was asked for cannot be done as it was asked. */
const usageCodes: readonly string[] = [
  'InvalidInput',
  'ConcurrencyConflict',
  'OutsideSandbox',
] satisfies KnownErrorCode[]

/** The exit code of a single call, or of a run that could not start, that ended with this error. */
export function exitCodeOfError(code: ErrorCode): ExitCode {
  if (usageCodes.includes(code)) return exitCodes.usage
  if (code === 'OutcomeUnknown') return exitCodes.undecided
  if (code === 'Cancelled' || code === 'Interrupted') return exitCodes.interrupted
  if (localCodes.includes(code) || connectionCodes.includes(code)) return exitCodes.environment
  return exitCodes.failed
}

/** How a run ended, as far as its exit code goes. */
export interface RunEnd {
  readonly status: RunStatus
  readonly errorCode?: ErrorCode | undefined
  /** The service answered at least one call. */
  readonly wasAnswered: boolean
}

/**
 * The exit code of a run. A rejection is nobody's mistake: it counts like a cancellation. A run that never got as far as one answer because of the connection, or that could
 * not write its files, lacks something in its environment; every other failure is one of the run.
 */
export function exitCodeOfRun({ status, errorCode, wasAnswered }: RunEnd): ExitCode {
  switch (status) {
    case 'succeeded':
      return exitCodes.succeeded
    case 'cancelled':
      return exitCodes.cancelled
    case 'unknown':
      return exitCodes.undecided
    case 'interrupted':
      return exitCodes.interrupted
    case 'failed':
      if (errorCode === undefined) return exitCodes.failed
      if (errorCode === 'ApprovalRejected') return exitCodes.cancelled
      if (localCodes.includes(errorCode)) return exitCodes.environment
      return !wasAnswered && connectionCodes.includes(errorCode) ? exitCodes.environment : exitCodes.failed
  }
}
