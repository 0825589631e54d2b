import type { ConnectionLike } from '@temporalio/client'
import { Worker } from '@temporalio/worker'
import { longestUsualAttemptMs } from '../../../core/action.ts'
import { createCancellation } from '../../../core/host/index.ts'
import { type Opened, openTogether } from '../../index.ts'
import { workerIdentity } from '../codec/read-keys.ts'
import { workerPayloads } from '../codec/worker-payloads.ts'
import { actionQueueOf, connectClient, type TemporalSettings } from '../connection.ts'
import { claimQueue, type QueueClaim } from './claim-queue.ts'
import { connectWithRetries, connectWorker } from './connect-worker.ts'
import {
  type ActivityOptions,
  createActivities,
  createLocalActivities,
  type LocalActivityOptions,
} from './create-activities.ts'
import { workflowBundle } from './workflow-bundle.ts'

/** The task queue of a worker, and what it runs the tasks with. */
export interface WorkerOptions
  extends TemporalSettings,
    LocalActivityOptions,
    Omit<ActivityOptions, 'client' | 'interrupt'> {
  /**
   * The tasks that it takes: runs, their calls, or both.
   * @default 'both'
   */
  readonly role?: WorkerRole
  /**
   * The version of its code. A run stays with the version that it began with, so the code can change. Without a version,
   * all workers must be able to continue all runs.
   */
  readonly deployment?: WorkerDeployment
  /**
   * How long the worker waits for the server at the start, in milliseconds.
   * @default 0
   */
  readonly maxConnectWaitMs?: number
  /**
   * The service that its calls reach. All workers of a queue must have the same one: with another one the start rejects
   * with `WrongTaskQueue`. A worker that makes no calls needs none.
   * @default the service is not checked
   */
  readonly claim?: QueueClaim
}

export type WorkerRole = 'both' | 'runs' | 'calls'

/** A version of the code of workers, as the server knows it. */
export interface WorkerDeployment {
  readonly name: string
  readonly buildId: string
}

/** A running worker. */
export interface StartedWorker {
  /** Resolves when it has stopped. Rejects when it fails. */
  readonly ended: Promise<void>
  /** It takes work, and the server answers it. */
  isReady(): Promise<boolean>
  /** Takes no new tasks, gives up reads, and resolves when its other calls have ended. */
  stop(): Promise<void>
}

/** How long a call may take after its worker starts to stop. */
const shutdownGraceTime = longestUsualAttemptMs

/** Starts a worker that runs runbooks and makes their calls. When the start fails, no connection stays open. */
export function startWorker(options: WorkerOptions): Promise<StartedWorker> {
  return openTogether((opened) => openWorker(options, opened))
}

async function openWorker(options: WorkerOptions, opened: Opened): Promise<StartedWorker> {
  const { namespace, taskQueue, role = 'both', maxConnectWaitMs = 0 } = options
  const client = await connectWithRetries(() => connectClient(options), maxConnectWaitMs)
  const { connection } = client
  opened.add(() => connection.close())
  const native = await connectWorker(options)
  opened.add(() => native.close())
  if (options.claim && role !== 'runs') await claimQueue(client, taskQueue, options.claim)
  const interrupt = createCancellation()
  const identity = workerIdentity()
  const shared = {
    connection: native,
    namespace,
    identity,
    shutdownGraceTime,
  } as const
  const workers: Worker[] = []
  const take = (worker: Worker): void => {
    workers.push(worker)
    opened.add(() => release(worker))
  }
  if (role !== 'calls') {
    const runs = await Worker.create({
      ...shared,
      ...workerPayloads('runs'),
      taskQueue,
      workflowBundle: await workflowBundle(),
      activities: createLocalActivities(options),
      enableNonLocalActivities: false,
      stickyQueueScheduleToStartTimeout: '2 seconds',
      ...versionOf(options),
    })
    take(runs)
  }
  if (role !== 'runs') {
    const calls = await Worker.create({
      ...shared,
      ...workerPayloads('calls'),
      taskQueue: actionQueueOf(taskQueue),
      activities: createActivities({ ...options, client, interrupt }),
      maxHeartbeatThrottleInterval: '500 ms',
      maxConcurrentActivityTaskExecutions: 500,
    })
    take(calls)
  }
  const ended = runTogether(workers).finally(() => opened.close())
  return {
    ended,
    isReady: async () =>
      workers.every((worker) => worker.getState() === 'RUNNING') && (await answers(connection)),
    async stop() {
      interrupt.cancel({ code: 'Interrupted', message: 'the worker is to stop' })
      shutDown(workers)
      await ended
    },
  }
}

/** Resolves when all workers have ended: the first that ends stops the others. Rejects with the error of the first that failed. */
async function runTogether(workers: readonly Worker[]): Promise<void> {
  const ends = await Promise.allSettled(
    workers.map((worker) => worker.run().finally(() => shutDown(workers))),
  )
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

function shutDown(workers: readonly Worker[]): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
}

/** Until a worker has run and ended, the SDK refuses to close its connection. */
async function release(worker: Worker): Promise<void> {
  if (worker.getState() === 'INITIALIZED') await worker.runUntil(async () => {})
}

/** Only the code of runs is replayed: workers of any version can make their calls. */
function versionOf({ deployment }: WorkerOptions): Partial<Parameters<typeof Worker.create>[0]> {
  if (!deployment) return {}
  const { name: deploymentName, buildId } = deployment
  return {
    workerDeploymentOptions: {
      version: { deploymentName, buildId },
      useWorkerVersioning: true,
      defaultVersioningBehavior: 'PINNED',
    },
  }
}

const answerMs = 1000

async function answers(connection: ConnectionLike): Promise<boolean> {
  try {
    await connection.withDeadline(Date.now() + answerMs, () => connection.workflowService.getSystemInfo({}))
    return true
  } catch {
    return false
  }
}
