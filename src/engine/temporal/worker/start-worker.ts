import { AsyncCompletionClient } from '@temporalio/client'
import { Worker } from '@temporalio/worker'
import { createCancellation } from '../../../core/cancellation.ts'
import { actionQueueOf, connectClient, type TemporalSettings } from '../connection.ts'
import { connectWorker } from './connect-worker.ts'
import { type ActivityOptions, createActivities } from './create-activities.ts'
import { workflowBundle } from './workflow-bundle.ts'

/** Where a worker takes its work from, and what it carries it out with. */
export interface WorkerOptions extends TemporalSettings, Omit<ActivityOptions, 'completion' | 'interrupt'> {}

/** A worker that works. */
export interface StartedWorker {
  /** Rejects when it cannot go on. */
  readonly ended: Promise<void>
  /** Takes nothing new, and resolves when what it had begun has ended. */
  stop(): Promise<void>
}

/** The longest that a call may still take once its worker is to stop. */
const shutdownGraceTime = '90 seconds'

/** Starts a worker that carries out runs and makes their calls. */
export async function startWorker(options: WorkerOptions): Promise<StartedWorker> {
  const { namespace, taskQueue } = options
  // First, since its errors say what is wrong.
  const { connection } = await connectClient(options)
  const native = await connectWorker(options)
  const interrupt = createCancellation()
  const completion = new AsyncCompletionClient({ connection, namespace })
  const shared = { connection: native, namespace, shutdownGraceTime } as const
  const runs = await Worker.create({
    ...shared,
    taskQueue,
    workflowBundle: await workflowBundle(),
    stickyQueueScheduleToStartTimeout: '2 seconds',
  })
  const calls = await Worker.create({
    ...shared,
    taskQueue: actionQueueOf(taskQueue),
    activities: createActivities({ ...options, completion, interrupt }),
    maxHeartbeatThrottleInterval: '500 ms',
    maxConcurrentActivityTaskExecutions: 500,
  })
  const ended = Promise.all([runs.run(), calls.run()]).then(async () => {
    await connection.close()
    await native.close()
  })
  return {
    ended,
    async stop() {
      interrupt.cancel({ code: 'Interrupted', message: 'the worker is to stop' })
      runs.shutdown()
      calls.shutdown()
      await ended
    },
  }
}
