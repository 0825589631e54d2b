import type { RunEvent } from '../../../../core/events.ts'
import type { CallContext, CallRequest } from '../../../../core/host/index.ts'
import {
  type AttemptOrder,
  attemptKey,
  type HandedAttempt,
  type LateAnswer,
  type LinesNotice,
  lateSignal,
  linesSignal,
  type WaitNotice,
  waitSignal,
} from '../../messages.ts'
import { onSignal } from '../handlers.ts'
import { type Deadlines, waitUntilTimer } from '../timers.ts'

/** What workers report of attempts whose activities have timed out. */
export interface LateAnswers {
  /** The answer of a worker; undefined when none arrives within that time. */
  waitFor(order: AttemptOrder, withinMs: number): Promise<LateAnswer | undefined>
}

export function createLateAnswers(): LateAnswers {
  const answers = new Map<string, LateAnswer>()
  onSignal<[LateAnswer]>(lateSignal, (late) => void answers.set(handoverKey(late), late))
  return {
    async waitFor({ request, handover }, withinMs) {
      const key = handoverKey({ ...request, handover })
      await waitUntilTimer(Date.now() + withinMs, () => answers.has(key))
      return answers.get(key)
    },
  }
}

function handoverKey(one: HandedAttempt): string {
  return `${attemptKey(one)}#${one.handover}`
}

/** What workers report of attempts before their end: their waits for a permit or for their target, and what they log. */
export interface AttemptWaits {
  /** The shortest wait that an attempt reports which starts now, in milliseconds. */
  reportsFromMs(): number
  /** Reports what an attempt logs, and passes its waits to its context, until the returned function is called. */
  listen(request: CallRequest, context: CallContext): () => void
}

/** Within a time limit every wait counts, since it is not working time. */
const withinLimitMs = 100
/** Outside of one a wait is only shown, and two signals for each call would cost more than the call. */
const onlyShownMs = 10_000

export function createAttemptWaits(
  deadlines: Pick<Deadlines, 'isSet'>,
  report: (event: RunEvent) => void,
): AttemptWaits {
  const open = new Map<string, CallContext>()
  onSignal<[WaitNotice]>(waitSignal, ({ path, attempt, wait }) => {
    const context = open.get(attemptKey({ path, attempt }))
    // The attempt has ended before its signal arrived.
    if (!context) return
    if (wait) {
      const { reason, until } = wait
      report({ type: 'waiting', path, reason, ...(until === undefined ? {} : { until }) })
    }
    context.onWaiting(wait !== undefined)
  })
  onSignal<[LinesNotice]>(linesSignal, ({ path, attempt, lines }) => {
    if (!open.has(attemptKey({ path, attempt }))) return
    for (const line of lines) report({ type: 'logged', path, attempt, ...line })
  })
  return {
    reportsFromMs: () => (deadlines.isSet ? withinLimitMs : onlyShownMs),
    listen(request, context) {
      open.set(attemptKey(request), context)
      return () => open.delete(attemptKey(request))
    },
  }
}
