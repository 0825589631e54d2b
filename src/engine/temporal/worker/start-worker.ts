import { AsyncCompletionClient, type ConnectionLike } from '@temporalio/client'
import { Worker } from '@temporalio/worker'
import { createCancellation } from '../../../core/cancellation.ts'
import { workerIdentity } from '../codec/announced-key.ts'
import { dataConverterFor } from '../codec/data-converter.ts'
import { actionQueueOf, connectClient, type TemporalSettings } from '../connection.ts'
import { keepMark } from '../worker-marks.ts'
import { connectPatiently } from './connect-patiently.ts'
import { connectWorker } from './connect-worker.ts'
import { type ActivityOptions, createActivities } from './create-activities.ts'
import { createLocalActivities, type LocalActivityOptions } from './local-activities.ts'
import { workflowBundle } from './workflow-bundle.ts'

/** Where a worker takes its work from, and what it carries it out with. */
export interface WorkerOptions
  extends TemporalSettings,
    LocalActivityOptions,
    Omit<ActivityOptions, 'completion' | 'interrupt'> {
  /**
   * What it takes: the runs themselves, the calls they make, or both.
   * @default 'both'
   */
  readonly role?: WorkerRole
  /**
   * The version of its code. A run stays with the version that it began with, so that the code may change. Without one,
   * all workers must be able to go on with all runs.
   */
  readonly deployment?: WorkerDeployment
  /**
   * How long a server may take to be there at the start, in milliseconds.
   * @default 0
   */
  readonly patienceMs?: number
}

export type WorkerRole = 'both' | 'runs' | 'calls'

/** A version of the code of workers, as the server knows it. */
export interface WorkerDeployment {
  readonly name: string
  readonly buildId: string
}

/** A worker that works. */
export interface StartedWorker {
  /** Rejects when it cannot go on. */
  readonly ended: Promise<void>
  /** It takes work, and the server answers it. */
  isReady(): Promise<boolean>
  /** Takes nothing new, gives reads up and resolves when what else it had begun has ended. */
  stop(): Promise<void>
}

/** The longest that a call may still take once its worker is to stop. */
const shutdownGraceTime = '90 seconds'

/** Starts a worker that carries out runs and makes their calls. */
export async function startWorker(options: WorkerOptions): Promise<StartedWorker> {
  const { namespace, taskQueue, role = 'both', patienceMs = 0 } = options
  const native = await connectPatiently(() => connectWorker(options), patienceMs).catch(
    async (thrown: unknown) => {
      // The client has better words for it.
      await (await connectClient(options)).connection.close()
      throw thrown
    },
  )
  const { connection } = await connectClient(options)
  const interrupt = createCancellation()
  const dataConverter = dataConverterFor('replace')
  const completion = new AsyncCompletionClient({ connection, namespace, dataConverter })
  const identity = workerIdentity()
  const shared = { connection: native, namespace, identity, dataConverter, shutdownGraceTime } as const
  const workers: Worker[] = []
  let forgetMark = (): void => {}
  if (role !== 'calls') {
    const runs = await Worker.create({
      ...shared,
      taskQueue,
      workflowBundle: await workflowBundle(),
      activities: createLocalActivities(options),
      enableNonLocalActivities: false,
      stickyQueueScheduleToStartTimeout: '2 seconds',
      ...versionOf(options),
    })
    workers.push(runs)
  }
  if (role !== 'runs') {
    const calls = await Worker.create({
      ...shared,
      taskQueue: actionQueueOf(taskQueue),
      activities: createActivities({ ...options, completion, interrupt }),
      maxHeartbeatThrottleInterval: '500 ms',
      maxConcurrentActivityTaskExecutions: 500,
    })
    workers.push(calls)
    forgetMark = await keepMark(options.dataDir, calls.options.identity)
  }
  // The SDK loads converters from files, and takes one that is there by no other way.
  for (const { options: compiled } of workers)
    Object.assign(compiled.loadedDataConverter, { failureConverter: dataConverter.failureConverter })
  const ended = Promise.all(workers.map((worker) => worker.run()))
    .finally(() => forgetMark())
    .then(async () => {
      await connection.close()
      await native.close()
    })
  return {
    ended,
    isReady: async () =>
      workers.every((worker) => worker.getState() === 'RUNNING') && (await answers(connection)),
    async stop() {
      interrupt.cancel({ code: 'Interrupted', message: 'the worker is to stop' })
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
      await ended
    },
  }
}

/** Only the code of runs is replayed: their calls may be made by workers of any version. */
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
