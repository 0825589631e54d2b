import {
  ActivityFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  defineUpdate,
  scheduleActivity,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow'
import { removeSlot } from '../../../core/rate-windows.ts'
import {
  askUpdate,
  type HandedPermits,
  noteSignal,
  type RateAnswer,
  type RateAsk,
  type RateNotes,
  takePermitsActivity,
} from '../limiter/messages.ts'
import { createEarliestTimer } from './earliest-timer.ts'
import { followDeployments } from './follow-deployments.ts'
import { createRateCount, givePlaces, idleFromMs, type RateCount, takeNotes } from './rate-count.ts'

/** A process that waits for places, and when it asked last. */
interface Waiter {
  readonly ask: RateAsk
  readonly askedMs: number
}

/** What a limiter takes along into its next execution. */
export interface ContinuedLimiter {
  readonly count: RateCount
  readonly line: readonly Waiter[]
}

/** A limiter of more events than this continues as a new execution. */
const mostEvents = 4000
/** A process that does not take what it is handed within this time has died, or cannot use it any more. */
const takeWithinMs = 2000

/**
 * Counts the calls of one key for all processes: it gives places out, in the order in which they are asked for, and
 * learns what became of them. Every question is answered at once. A process that has to wait is in line, and is
 * handed its places on its own task queue. The limiter ends when nothing it knows matters any more.
 */
export async function opsbookRateLimiter(before?: ContinuedLimiter): Promise<void> {
  const count = before?.count ?? createRateCount(Date.now())
  count.heardMs = Date.now()
  const line = [...(before?.line ?? [])]
  const timer = createEarliestTimer()
  let handing = 0
  let isDraining = false

  const hear = (notes: RateNotes): void => {
    count.clockMs = Math.max(count.clockMs, Date.now())
    count.heardMs = count.clockMs
    takeNotes(count, notes)
    if (notes.pauseMs !== undefined)
      count.pausedUntilMs = Math.max(count.pausedUntilMs, count.clockMs + notes.pauseMs)
  }
  /** Serves the line from its head on. Answers with what `asking` gets, where it gets anything. */
  const serve = (asking?: string): RateAnswer | undefined => {
    let own: RateAnswer | undefined
    while (!isDraining && line[0]) {
      const { ask, askedMs } = line[0]
      const given = givePlaces(count, ask)
      if ('waitUntilMs' in given) {
        timer.set(given.waitUntilMs)
        break
      }
      line.shift()
      const answer = { ...given, heldMs: count.clockMs - askedMs }
      if (ask.process === asking) own = answer
      else void hand(ask, answer)
    }
    return own
  }
  const hand = async ({ key, ask, process }: RateAsk, answer: RateAnswer): Promise<void> => {
    handing++
    const order: HandedPermits = { key, ask, answer }
    try {
      await scheduleActivity(takePermitsActivity, [order], {
        taskQueue: process,
        scheduleToStartTimeout: takeWithinMs,
        startToCloseTimeout: takeWithinMs,
        retry: { maximumAttempts: 1 },
      })
    } catch (thrown) {
      if (wasNeverTaken(thrown)) for (const { slot } of answer.places) removeSlot(count.rate, slot)
    }
    handing--
    count.clockMs = Math.max(count.clockMs, Date.now())
    serve()
  }
  setHandler(defineUpdate<RateAnswer, [RateAsk]>(askUpdate), (ask) => {
    hear(ask)
    const waiter = { ask, askedMs: count.clockMs }
    const at = line.findIndex((other) => other.ask.process === ask.process)
    if (at < 0) line.push(waiter)
    else line[at] = waiter
    return serve(ask.process) ?? inLine
  })
  setHandler(defineSignal<[RateNotes]>(noteSignal), (notes) => {
    hear(notes)
    serve()
  })

  const isLong = (): boolean => {
    const { continueAsNewSuggested, historyLength } = workflowInfo()
    return continueAsNewSuggested || historyLength > mostEvents
  }
  serve()
  while (true) {
    const idleMs = idleFromMs(count)
    const isIdle = line.length === 0 && handing === 0
    if (isIdle && Date.now() >= idleMs) break
    if (line.length === 0) timer.set(Math.max(idleMs, Date.now() + takeWithinMs))
    await condition(() => timer.hasRung() || isLong())
    count.clockMs = Math.max(count.clockMs, Date.now())
    if (isLong()) {
      isDraining = true
      await condition(() => handing === 0 && allHandlersFinished())
      await continueAsNew<typeof opsbookRateLimiter>({ count, line })
    }
    serve()
  }
  await condition(allHandlersFinished)
}

followDeployments(opsbookRateLimiter)

const inLine: RateAnswer = { places: [], isShared: true, isWaiting: true }

function wasNeverTaken(thrown: unknown): boolean {
  const cause = thrown instanceof ActivityFailure ? thrown.cause : thrown
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START'
}
