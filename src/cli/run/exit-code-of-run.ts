import type { ErrorCode } from '../../core/errors.ts'
import type { RunStatus } from '../../core/events.ts'
import { connectionCodes, localCodes } from '../../project/errors/index.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'

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
