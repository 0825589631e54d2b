/** How long an attempt may take on a worker: the workflow and the worker hold to the same numbers. */
import { longestUsualAttemptMs } from '../../core/action.ts'
import type { CallRequest } from '../../core/host.ts'

/** An attempt that has waited this long for a permit or for its target ends, and is scheduled anew. */
export const longestWaitMs: number = 10 * 60_000

/** For what is neither waiting nor sending. */
const marginMs = 60_000

/** After this time the server ends an attempt, whatever its worker reports, in milliseconds. */
export function mostAttemptMs({ attemptTimeoutMs = longestUsualAttemptMs }: CallRequest): number {
  return longestWaitMs + attemptTimeoutMs + marginMs
}
