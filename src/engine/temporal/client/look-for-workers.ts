import type { Client } from '@temporalio/client'
import { actionQueueOf } from '../connection.ts'

/** Somebody who looks at a task queue. */
export interface Poller {
  readonly identity: string
  /** Unix time in milliseconds: when the last look was. */
  readonly lastMs: number
  /** Of its code; left out: it has no version. */
  readonly build?: WorkerBuild
}

/** A version of the code of workers, as the server knows it. */
export interface WorkerBuild {
  readonly deployment: string
  readonly buildId: string
}

/** Whether anybody looks at a task queue. */
export interface QueuePollers {
  readonly queue: string
  /** Who has looked lately, newest first. */
  readonly pollers: readonly Poller[]
  /** Unix time in milliseconds: when somebody looked last. */
  readonly lastMs?: number
  /** The builds that new runs begin with; none: workers without a version. */
  readonly current: readonly WorkerBuild[]
}

/** Who looks at the queue of runs, and who at that of their calls. */
export interface FoundWorkers {
  readonly runs: QueuePollers
  readonly calls: QueuePollers
}

/** `TASK_QUEUE_TYPE_WORKFLOW` and `TASK_QUEUE_TYPE_ACTIVITY`. */
const kinds = { runs: 1, calls: 2 } as const

/** `WORKER_VERSIONING_MODE_VERSIONED`. */
const versioned = 2

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

/** A moment as the server writes it down, as Unix time in milliseconds. */
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

/** How long the server may take to say who looks: whoever asks wants to go on. */
const answerMs = 2000

/** What to say where nobody looks at a queue; undefined: somebody looks at both. */
export async function workersMissing(client: Client, taskQueue: string): Promise<string | undefined> {
  return client.withDeadline(Date.now() + answerMs, async () =>
    missingOf(await lookForWorkers(client, taskQueue)),
  )
}

/** The same of what has been found already. */
export function missingOf({ runs, calls }: FoundWorkers): string | undefined {
  const idle = [runs, calls].filter(({ pollers }) => pollers.length === 0)
  if (idle.length === 0) return undefined
  const queues = idle.map(({ queue }) => `"${queue}"`).join(' and ')
  return `no worker is running: nobody looks at the task queue ${queues}`
}
