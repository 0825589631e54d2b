import { defineSignal, setHandler } from '@temporalio/workflow'
import type { RunEvent } from '../../../core/events.ts'
import type { CallContext, CallRequest } from '../../../core/host.ts'
import { type WaitNotice, waitSignal } from '../messages.ts'
import type { Alarms } from './alarms.ts'

/** What attempts that are on their way tell of waiting for their turn. */
export interface AttemptWaits {
  /** From how long on an attempt that begins now tells. */
  tellsFromMs(): number
  /** Hears of an attempt until the function that it answers with is called. */
  listen(request: CallRequest, context: CallContext): () => void
}

/** Within a time limit it matters: such time is not working time. */
const withinLimitMs = 100
/** Else it is only to be seen, and two messages for each call would cost more than the call. */
const onlySeenMs = 10_000

export function createAttemptWaits(
  alarms: Pick<Alarms, 'isSet'>,
  report: (event: RunEvent) => void,
): AttemptWaits {
  const open = new Map<string, CallContext>()
  setHandler(defineSignal<[WaitNotice]>(waitSignal), ({ path, attempt, wait }) => {
    const context = open.get(keyOf({ path, attempt }))
    // Late: the attempt has ended.
    if (!context) return
    if (wait) {
      const { reason, until } = wait
      report({ type: 'waiting', path, reason, ...(until === undefined ? {} : { until }) })
    }
    context.onWaiting(wait !== undefined)
  })
  return {
    tellsFromMs: () => (alarms.isSet ? withinLimitMs : onlySeenMs),
    listen(request, context) {
      open.set(keyOf(request), context)
      return () => open.delete(keyOf(request))
    },
  }
}

function keyOf({ path, attempt }: Pick<CallRequest, 'path' | 'attempt'>): string {
  return `${path}#${attempt}`
}
