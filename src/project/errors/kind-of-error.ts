import type { ErrorCode, KnownErrorCode } from '../../core/errors.ts'
import type { CommandErrorKind } from '../command-error.ts'

/** Failures of the connection or of the key. */
export const connectionCodes: readonly string[] = [
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
export const localCodes: readonly string[] = [
  'FileNotWritten',
  'DataDirUnusable',
  'PayloadUnreadable',
  'MissingSecret',
  'NoPublicUrl',
  'RunInUse',
  'CopiedJournal',
  'TemporalNotInstalled',
  'TemporalUnavailable',
  'TemporalTlsFailed',
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

/** What kind of error ended a single call, or a run that could not start. `unresolved`: a person finds out what happened. */
export function kindOfError(code: ErrorCode): CommandErrorKind | 'unresolved' {
  if (usageCodes.includes(code)) return 'usage'
  if (code === 'OutcomeUnknown') return 'unresolved'
  if (code === 'Cancelled' || code === 'Interrupted') return 'interrupted'
  return localCodes.includes(code) || connectionCodes.includes(code) ? 'environment' : 'failed'
}
