/** The workflow that somebody would write by hand, who needs nothing but these calls. */
import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow'

interface Activities {
  'bench/work'(order: object): Promise<{ readonly output: unknown }>
}

/** Calls the same activity as the runbook of the benchmark does, so often and so many at a time. */
export async function handWritten(taskQueue: string, count: number, parallel: number): Promise<number> {
  const activities = proxyActivities<Activities>({
    taskQueue,
    startToCloseTimeout: '1 minute',
    retry: { maximumAttempts: 1 },
  })
  let next = 0
  let done = 0
  const work = async (): Promise<void> => {
    while (next < count) {
      const n = next++
      const path = `each[${n}]`
      const request = { path, attempt: 1, action: 'bench/work', input: { n } }
      await activities['bench/work']({ runId: 'hand-written', request, safety: 'read' })
      done++
    }
  }
  await Promise.all(Array.from({ length: Math.min(parallel, count) }, work))
  return done
}

/** The same for so many items that one history cannot hold them: what is left is for the next execution. */
export async function handWrittenItems(
  taskQueue: string,
  count: number,
  parallel: number,
  first = 0,
  before = 0,
): Promise<number> {
  const activities = proxyActivities<Activities>({
    taskQueue,
    startToCloseTimeout: '1 minute',
    heartbeatTimeout: '10 seconds',
    retry: { maximumAttempts: 1 },
  })
  let next = first
  let done = before
  const isLong = (): boolean => {
    const { historyLength, continueAsNewSuggested } = workflowInfo()
    return historyLength >= 4096 || continueAsNewSuggested
  }
  const work = async (): Promise<void> => {
    while (next < count && !isLong()) {
      const n = next++
      const request = { path: `each[${n}]`, attempt: 1, action: 'bench/work', input: { n } }
      await activities['bench/work']({ runId: 'hand-written', request, safety: 'read' })
      done++
    }
  }
  await Promise.all(Array.from({ length: Math.min(parallel, count - first) }, work))
  if (next < count) await continueAsNew<typeof handWrittenItems>(taskQueue, count, parallel, next, done)
  return done
}
