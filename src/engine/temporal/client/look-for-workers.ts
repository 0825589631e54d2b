import type { Client } from '@temporalio/client'
import { actionQueueOf } from '../connection.ts'

/** Somebody who looks at a task queue. */
export interface Poller {
  readonly identity: string
  /** Unix time in milliseconds: when the last look was. */
  readonly lastMs: number
}

/** Whether anybody looks at a task queue. */
export interface QueuePollers {
  readonly queue: string
  /** Who has looked lately, newest first. */
  readonly pollers: readonly Poller[]
  /** Unix time in milliseconds: when somebody looked last. */
  readonly lastMs?: number
}

/** Who looks at the queue of runs, and who at that of their calls. */
export interface FoundWorkers {
  readonly runs: QueuePollers
  readonly calls: QueuePollers
}

/** `TASK_QUEUE_TYPE_WORKFLOW` and `TASK_QUEUE_TYPE_ACTIVITY`. */
const kinds = { runs: 1, calls: 2 } as const

/** A worker that has nothing to do asks again once a minute; one that has not asked for longer is gone. */
const goneMs = 75_000

/** Looks who works for a task queue. */
export async function lookForWorkers(client: Client, taskQueue: string): Promise<FoundWorkers> {
  const [runs, calls] = await Promise.all([
    pollersOf(client, taskQueue, kinds.runs),
    pollersOf(client, actionQueueOf(taskQueue), kinds.calls),
  ])
  return { runs, calls }
}

async function pollersOf(client: Client, queue: string, taskQueueType: 1 | 2): Promise<QueuePollers> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: queue },
    taskQueueType,
  })
  const seen = (pollers ?? [])
    .map(({ identity, lastAccessTime }) => ({
      identity: identity ?? '',
      lastMs: Number(lastAccessTime?.seconds ?? 0) * 1000,
    }))
    .toSorted((one, other) => other.lastMs - one.lastMs)
  const lastMs = seen[0]?.lastMs
  return {
    queue,
    pollers: seen.filter((poller) => Date.now() - poller.lastMs < goneMs),
    ...(lastMs === undefined ? {} : { lastMs }),
  }
}

/** How long the server may take to say who looks: whoever asks wants to go on. */
const answerMs = 2000

/** What to say where nobody looks at a queue; undefined: somebody looks at both. */
export async function workersMissing(client: Client, taskQueue: string): Promise<string | undefined> {
  const { runs, calls } = await client.withDeadline(Date.now() + answerMs, () =>
    lookForWorkers(client, taskQueue),
  )
  const idle = [runs, calls].filter(({ pollers }) => pollers.length === 0)
  if (idle.length === 0) return undefined
  const queues = idle.map(({ queue }) => `"${queue}"`).join(' and ')
  return `no worker is running: nobody looks at the task queue ${queues}`
}
