import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  defineUpdate,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import { askUpdate, noteSignal, type RateAnswer, type RateAsk, type RateNotes } from '../limiter/messages.ts'
import { createEarliestTimer } from './earliest-timer.ts'
import { followDeployments } from './follow-deployments.ts'
import { createRateCount, givePlaces, idleFromMs, type RateCount, takeNotes } from './rate-count.ts'

interface Waiter {
  readonly ask: RateAsk
  readonly askedMs: number
  readonly answer: (answer: RateAnswer) => void
}

/** A run of more events than this goes on as a new one. */
const mostEvents = 4000

/**
 * Counts the calls of one key for all processes: it gives places out, in the order in which they are asked for, and is
 * told what became of them. It ends when nothing it knows matters any more.
 */
export async function opsbookRateLimiter(carried?: RateCount): Promise<void> {
  const count = carried ?? createRateCount(Date.now())
  count.heardMs = Date.now()
  const waiters: Waiter[] = []
  const timer = createEarliestTimer()
  let isDraining = false

  const serve = (): void => {
    while (waiters[0]) {
      const { ask, askedMs, answer } = waiters[0]
      const given = isDraining ? drained : givePlaces(count, ask)
      if ('waitUntilMs' in given) {
        timer.set(given.waitUntilMs)
        return
      }
      waiters.shift()
      answer({ ...given, heldMs: count.clockMs - askedMs })
    }
  }
  const hear = (notes: RateNotes): void => {
    count.clockMs = Math.max(count.clockMs, Date.now())
    count.heardMs = count.clockMs
    takeNotes(count, notes)
    if (notes.pauseMs !== undefined)
      count.pausedUntilMs = Math.max(count.pausedUntilMs, count.clockMs + notes.pauseMs)
  }
  setHandler(defineUpdate<RateAnswer, [RateAsk]>(askUpdate), (ask) => {
    hear(ask)
    const askedMs = count.clockMs
    const answered = new Promise<RateAnswer>((answer) => waiters.push({ ask, askedMs, answer }))
    serve()
    return answered
  })
  setHandler(defineSignal<[RateNotes]>(noteSignal), (notes) => {
    hear(notes)
    serve()
  })

  const isLong = (): boolean => {
    const { continueAsNewSuggested, historyLength } = workflowInfo()
    return continueAsNewSuggested || historyLength > mostEvents
  }
  while (true) {
    const idleMs = idleFromMs(count)
    if (waiters.length === 0 && Date.now() >= idleMs) break
    if (waiters.length === 0) timer.set(idleMs)
    await condition(() => timer.hasRung() || isLong())
    count.clockMs = Math.max(count.clockMs, Date.now())
    if (isLong()) {
      isDraining = true
      serve()
      await condition(allHandlersFinished)
      await continueAsNew<typeof opsbookRateLimiter>(count)
    }
    serve()
  }
  await condition(allHandlersFinished)
}

followDeployments(opsbookRateLimiter)

const drained: RateAnswer = { places: [], isShared: true, askAgainInMs: 0 }
