import { type NativeConnection, Worker } from '@temporalio/worker'
import { dataConverterFor } from '../codec/data-converter.ts'

/** The task queue that one process alone polls: limiters and locks hand it what it waits for. */
export interface ProcessQueue {
  close(): Promise<void>
}

/** What is handed to a process, by the names of the activities. */
export type ProcessActivities = Readonly<Record<string, (order: never) => Promise<unknown>>>

/** Which queue, and where. */
export interface ProcessQueueOptions {
  readonly native: NativeConnection
  readonly namespace: string
  readonly name: string
}

/** Starts to poll. A process holds any number of targets at a time. */
export async function openProcessQueue(
  { native, namespace, name }: ProcessQueueOptions,
  activities: ProcessActivities,
): Promise<ProcessQueue> {
  const worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue: name,
    dataConverter: dataConverterFor('replace'),
    activities: { ...activities },
    maxConcurrentActivityTaskExecutions: 1000,
    maxConcurrentActivityTaskPolls: 2,
    maxHeartbeatThrottleInterval: '500 ms',
    // What is held is not worth waiting for: its lock notices.
    shutdownGraceTime: 0,
  })
  // What ends it ends the other workers of the process, too.
  const ended = worker.run().catch(() => {})
  return {
    async close() {
      if (worker.getState() === 'RUNNING') worker.shutdown()
      await ended
    },
  }
}
