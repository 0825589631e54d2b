import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineUpdate,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import {
  type TargetAnswer,
  type TargetNews,
  type TargetOrder,
  targetNewsUpdate,
  targetsUpdate,
} from '../limiter/messages.ts'
import { createEarliestTimer } from './earliest-timer.ts'
import { followDeployments } from './follow-deployments.ts'
import { createTargetTable, newsFor, nextChangeMs, obeyTargets, type TargetTable } from './target-table.ts'

/** A run of more events than this goes on as a new one. */
const mostEvents = 4000

/**
 * Knows for all processes which targets are in use. A process that is alone has all of them, and asks again only to say
 * that it lives. It ends when nobody has anything.
 */
export async function opsbookTargetKeeper(carried?: TargetTable): Promise<void> {
  const table = carried ?? createTargetTable()
  const listeners = new Map<string, (news: TargetNews) => void>()
  const timer = createEarliestTimer()
  let isDraining = false

  const tell = (): void => {
    for (const [process, hear] of listeners) {
      const news = isDraining ? nothing : newsFor(table, process, Date.now())
      if (!news) continue
      listeners.delete(process)
      hear(news)
    }
  }
  setHandler(defineUpdate<TargetAnswer, [TargetOrder]>(targetsUpdate), (order) => {
    const answer = obeyTargets(table, order, Date.now())
    tell()
    return answer
  })
  setHandler(defineUpdate<TargetNews, [{ process: string }]>(targetNewsUpdate), ({ process }) => {
    listeners.get(process)?.(nothing)
    const heard = new Promise<TargetNews>((hear) => listeners.set(process, hear))
    tell()
    return heard
  })

  const isLong = (): boolean => {
    const { continueAsNewSuggested, historyLength } = workflowInfo()
    return continueAsNewSuggested || historyLength > mostEvents
  }
  while (true) {
    timer.set(Math.min(nextChangeMs(table), Date.now() + 30_000))
    await condition(() => timer.hasRung() || isLong())
    tell()
    const isOver = Object.keys(table.leases).length === 0
    if (!isOver && !isLong()) continue
    isDraining = true
    tell()
    await condition(allHandlersFinished)
    if (isOver) return
    await continueAsNew<typeof opsbookTargetKeeper>(table)
  }
}

followDeployments(opsbookTargetKeeper)

const nothing: TargetNews = { granted: [] }
