import type { DeliveryAnswer } from './hook-routes.ts'

/** Knows whether deliveries can be taken, by the outcome of the last one. */
export interface DeliveryWatch {
  answered(answer: DeliveryAnswer): void
  /** Why the next delivery may fail. Undefined: nothing is known against it. */
  problem(): string | undefined
}

/** How long a failure counts: where no delivery comes, none can prove that they succeed again. */
const countsMs = 60_000

export function createDeliveryWatch(now: () => number = Date.now): DeliveryWatch {
  let failedAtMs: number | undefined
  return {
    answered(answer) {
      if ('event' in answer) failedAtMs = undefined
      else if (answer.isFailure) failedAtMs = now()
    },
    problem() {
      const isRecent = failedAtMs !== undefined && Math.abs(now() - failedAtMs) < countsMs
      return isRecent ? 'the last delivery failed; the log has its id and the cause' : undefined
    },
  }
}
