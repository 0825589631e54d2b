/** The workflow that somebody would write by hand, who needs nothing but these calls. */
import { proxyActivities } from '@temporalio/workflow'

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
