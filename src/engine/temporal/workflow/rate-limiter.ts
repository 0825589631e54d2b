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
import { followDeployments } from './follow-deployments.ts'
import { createRateLane, givePlaces, idleFromMs, type RateLane, takeNotes } from './rate-lane.ts'
import { createAlarm } from './set-alarm.ts'

interface Waiter {
  readonly ask: RateAsk
  readonly answer: (answer: RateAnswer) => void
}

/** A run of more events than this goes on as a new one. */
const mostEvents = 4000

/**
 * Counts the calls of one key for all processes: it gives places out, in the order in which they are asked for, and is
 * told what became of them. It ends when nothing it knows matters any more.
 */
export async function opsbookRateLimiter(carried?: RateLane): Promise<void> {
  const lane = carried ?? createRateLane()
  lane.heardMs = Date.now()
  const waiters: Waiter[] = []
  const alarm = createAlarm()
  let isDraining = false

  const serve = (): void => {
    while (waiters[0]) {
      const { ask, answer } = waiters[0]
      const given = isDraining ? drained : givePlaces(lane, ask)
      if ('waitUntilMs' in given) {
        alarm.set(given.waitUntilMs)
        return
      }
      waiters.shift()
      answer(given)
    }
  }
  const hear = (notes: RateNotes): void => {
    lane.clockMs = Math.max(lane.clockMs, Date.now())
    lane.heardMs = lane.clockMs
    takeNotes(lane, notes)
    if (notes.pauseMs !== undefined)
      lane.pausedUntilMs = Math.max(lane.pausedUntilMs, lane.clockMs + notes.pauseMs)
  }
  setHandler(defineUpdate<RateAnswer, [RateAsk]>(askUpdate), (ask) => {
    hear(ask)
    const answered = new Promise<RateAnswer>((answer) => waiters.push({ ask, answer }))
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
    const idleMs = idleFromMs(lane)
    if (waiters.length === 0 && Date.now() >= idleMs) break
    if (waiters.length === 0) alarm.set(idleMs)
    await condition(() => alarm.hasRung() || isLong())
    lane.clockMs = Math.max(lane.clockMs, Date.now())
    if (isLong()) {
      isDraining = true
      serve()
      await condition(allHandlersFinished)
      await continueAsNew<typeof opsbookRateLimiter>(lane)
    }
    serve()
  }
  await condition(allHandlersFinished)
}

followDeployments(opsbookRateLimiter)

const drained: RateAnswer = { places: [], isShared: true, askAgainInMs: 0 }
