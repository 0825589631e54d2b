import type { RunEvent } from '../events.ts'

/** Whether the log of a run has room for the event: a deadline that is being watched is nothing that happens. */
export function isKeptInLog(event: RunEvent): boolean {
  return event.type !== 'waiting' || event.reason !== 'timeout'
}

/** In characters of JSON. */
const mostLength = 16_384

/**
 * What the log keeps of an event whose outputs are too large to be kept a second time. Undefined: all of it.
 * `length`: of the event, as JSON.
 */
export function withoutLargeOutputs(event: object, length: number): object | undefined {
  if (length <= mostLength || !('outputs' in event)) return undefined
  const { outputs: _, ...rest } = event
  return rest
}
