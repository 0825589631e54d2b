import { NativeConnection, Worker } from '@temporalio/worker'
import { inject, onTestFinished } from 'vitest'
import { dataConverterFor } from '../../../../src/engine/temporal/codec/create-codec.ts'
import { otherBundle } from './other-bundle.ts'

/** Starts a worker whose code has nothing in common with ours. Answers with what stops it, at the latest with its test. */
export async function startOtherWorker(taskQueue: string): Promise<() => Promise<void>> {
  const connection = await NativeConnection.connect({ address: inject('temporalAddress') })
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: await otherBundle(),
    dataConverter: dataConverterFor('replace'),
    shutdownGraceTime: 0,
  })
  const running = worker.run()
  let stopped: Promise<void> | undefined
  const end = async (): Promise<void> => {
    worker.shutdown()
    await running
    await connection.close()
  }
  const stop = (): Promise<void> => {
    stopped ??= end()
    return stopped
  }
  onTestFinished(stop)
  return stop
}
