import type { AttemptResult } from '../../src/core/attempts.ts'
import { createCancellation } from '../../src/core/cancellation.ts'
import type { RunEvent } from '../../src/core/events.ts'
import type { CallRequest, Host } from '../../src/core/host.ts'
import { RunbookError } from '../../src/core/run-error.ts'

/** A host made of data: answers come from a function, time passes only in sleeps. */
export interface DataHost extends Host {
  readonly calls: CallRequest[]
  readonly events: RunEvent[]
}

export function createDataHost(
  answer: (request: CallRequest, call: number) => AttemptResult | 'interrupt',
): DataHost {
  const calls: CallRequest[] = []
  const events: RunEvent[] = []
  let now = 0
  return {
    calls,
    events,
    async call(request) {
      calls.push(request)
      const result = answer(request, calls.length)
      if (result === 'interrupt') throw new RunbookError('Interrupted', 'asked to stop')
      return { ...result, startedAtMs: now, endedAtMs: now }
    },
    async sleepUntil(timeMs) {
      now = Math.max(now, timeMs)
    },
    ask: () => Promise.resolve(undefined),
    reached: () => Promise.resolve(now),
    checkInputs: (_, inputs) => ({ inputs, problems: [] }),
    cancellation: createCancellation(),
    abandonment: createCancellation(),
    now: () => now,
    report: (event) => events.push(event),
  }
}
