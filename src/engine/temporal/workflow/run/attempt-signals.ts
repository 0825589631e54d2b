import type { RunEvent } from '../../../../core/events.ts'
import type { CallContext, CallRequest } from '../../../../core/host/index.ts'
import {
  type AttemptNotice,
  type AttemptOrder,
  attemptKey,
  attemptSignal,
  type HandedAttempt,
  type LateAnswer,
  lateSignal,
} from '../../messages.ts'
import { onSignal } from '../handlers.ts'
import { type Deadlines, waitUntilTimer } from '../timers.ts'

/** What workers report of attempts besides the results of their activities. */
export interface AttemptSignals {
  /** The shortest wait that an attempt reports which starts now, in milliseconds. */
  reportsFromMs(): number
  /** Reports what an attempt logs, and passes its waits to its context, until the returned function is called. */
  listen(request: CallRequest, context: CallContext): () => void
  /** The answer of a worker whose activity has timed out; undefined when none arrives within that time. */
  lateAnswer(order: AttemptOrder, withinMs: number): Promise<LateAnswer | undefined>
}

/** Within a time limit every wait counts, since it is not working time. */
const withinLimitMs = 100
/** Outside of one a wait is only shown, and two signals for each call would cost more than the call. */
const onlyShownMs = 10_000

export function createAttemptSignals(
  deadlines: Pick<Deadlines, 'isSet'>,
  report: (event: RunEvent) => void,
): AttemptSignals {
  const open = new Map<string, CallContext>()
  const late = new Map<string, LateAnswer>()
  onSignal<[AttemptNotice]>(attemptSignal, ({ path, attempt, wait, lines = [] }) => {
    const context = open.get(attemptKey({ path, attempt }))
    // The attempt has ended before its signal arrived.
    if (!context) return
    for (const line of lines) report({ type: 'logged', path, attempt, ...line })
    if (wait) report({ type: 'waiting', path, ...wait })
    if (wait !== undefined) context.onWaiting(wait !== null)
  })
  onSignal<[LateAnswer]>(lateSignal, (answer) => void late.set(handoverKey(answer), answer))
  return {
    reportsFromMs: () => (deadlines.isSet() ? withinLimitMs : onlyShownMs),
    listen(request, context) {
      open.set(attemptKey(request), context)
      return () => open.delete(attemptKey(request))
    },
    async lateAnswer({ request, handover }, withinMs) {
      const key = handoverKey({ ...request, handover })
      await waitUntilTimer(Date.now() + withinMs, () => late.has(key))
      return late.get(key)
    },
  }
}

function handoverKey(one: HandedAttempt): string {
  return `${attemptKey(one)}#${one.handover}`
}
