import type { Client } from '@temporalio/client'
import { actionQueueOf } from '../connection.ts'

/** A worker that polls a task queue. */
export interface Poller {
  readonly identity: string
  /** Unix time in milliseconds of the last poll. */
  readonly lastMs: number
  /** Of its code; left out: it has no version. */
  readonly build?: WorkerBuild
}

/** A version of the code of workers, as the server knows it. */
export interface WorkerBuild {
  readonly deployment: string
  readonly buildId: string
}

/** The workers that poll a task queue. */
export interface QueuePollers {
  readonly queue: string
  /** The workers that have polled within 75 s, newest first. */
  readonly pollers: readonly Poller[]
  /** Unix time in milliseconds of the last poll by any worker. */
  readonly lastMs?: number
  /** The builds that new runs start with; none: workers without a version. */
  readonly current: readonly WorkerBuild[]
}

/** The pollers of the queue of runs, and of the queue of their calls. */
export interface FoundWorkers {
  readonly runs: QueuePollers
  readonly calls: QueuePollers
}

/** `TASK_QUEUE_TYPE_WORKFLOW` and `TASK_QUEUE_TYPE_ACTIVITY`. */
const kinds = { runs: 1, calls: 2 } as const

/** `WORKER_VERSIONING_MODE_VERSIONED`. */
const versioned = 2

/** An idle worker polls once a minute; one that has not polled for this long is gone. */
const goneMs = 75_000

/** Finds the workers of a task queue. */
export async function lookForWorkers(client: Client, taskQueue: string): Promise<FoundWorkers> {
  const [runs, calls] = await Promise.all([
    pollersOf(client, taskQueue, kinds.runs),
    pollersOf(client, actionQueueOf(taskQueue), kinds.calls),
  ])
  return { runs, calls }
}

async function pollersOf(client: Client, queue: string, taskQueueType: 1 | 2): Promise<QueuePollers> {
  const { pollers, versioningInfo } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: queue },
    taskQueueType,
  })
  const seen = (pollers ?? [])
    .map(({ identity, lastAccessTime, deploymentOptions: options }): Poller => {
      const build = options?.workerVersioningMode === versioned ? buildOf(options) : undefined
      const lastMs = momentOf(lastAccessTime)
      return { identity: identity ?? '', lastMs, ...(build ? { build } : {}) }
    })
    .toSorted((one, other) => other.lastMs - one.lastMs)
  const lastMs = seen[0]?.lastMs
  return {
    queue,
    pollers: seen.filter((poller) => Date.now() - poller.lastMs < goneMs),
    ...(lastMs === undefined ? {} : { lastMs }),
    current: [versioningInfo?.currentDeploymentVersion, versioningInfo?.rampingDeploymentVersion].flatMap(
      (version) => buildOf(version) ?? [],
    ),
  }
}

/** A timestamp of the server as Unix time in milliseconds. */
export function momentOf(
  time: { readonly seconds?: unknown; readonly nanos?: number | null } | null | undefined,
): number {
  return Number(time?.seconds ?? 0) * 1000 + Math.floor((time?.nanos ?? 0) / 1e6)
}

/** A build as the server writes it down; undefined: none is named. */
export function buildOf(
  version: { readonly deploymentName?: string | null; readonly buildId?: string | null } | null | undefined,
): WorkerBuild | undefined {
  const { deploymentName, buildId } = version ?? {}
  return deploymentName && buildId ? { deployment: deploymentName, buildId } : undefined
}

/** How long the server may take to list the pollers. */
const answerMs = 2000

/** The message for a task queue without workers; undefined: both queues have workers. */
export async function workersMissing(client: Client, taskQueue: string): Promise<string | undefined> {
  return client.withDeadline(Date.now() + answerMs, async () =>
    missingOf(await lookForWorkers(client, taskQueue)),
  )
}

/** The same for workers that were found already. */
export function missingOf({ runs, calls }: FoundWorkers): string | undefined {
  const idle = [runs, calls].filter(({ pollers }) => pollers.length === 0)
  if (idle.length === 0) return undefined
  const queues = idle.map(({ queue }) => `"${queue}"`).join(' and ')
  return `no worker is running: no worker polls the task queue ${queues}`
}
