/** How long an attempt may take on a worker. The workflow and the worker use the same numbers. */
import { longestUsualAttemptMs } from '../../core/action.ts'
import type { CallRequest } from '../../core/host/index.ts'

/** An attempt that has waited this long for a permit or for its target ends, and the run schedules it again. */
export const longestWaitMs: number = 10 * 60_000

/** A worker counts as lost after this time without a heartbeat. */
export const heartbeatTimeoutMs = 10_000

/** For everything besides waiting and sending. */
const marginMs = 60_000

/** The start-to-close timeout of an attempt, in milliseconds. */
export function mostAttemptMs({ attemptTimeoutMs = longestUsualAttemptMs }: CallRequest): number {
  return longestWaitMs + attemptTimeoutMs + marginMs
}
