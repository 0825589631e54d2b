import { Client, Connection } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import { dataConverterFor } from './codec/data-converter.ts'

/** Which Temporal server, and where on it. */
export interface TemporalSettings {
  /** Host and port. */
  readonly address: string
  readonly namespace: string
  /** Task queue of runs. The calls they make have one of their own: {@link actionQueueOf}. */
  readonly taskQueue: string
}

/** The queue of the calls that the runs of a queue make. */
export function actionQueueOf(taskQueue: string): string {
  return `${taskQueue}-actions`
}

/** Connects a client. Closing its connection is the caller's. */
export async function connectClient({ address, namespace }: TemporalSettings): Promise<Client> {
  const connection = await Connection.connect({ address })
  return new Client({ connection, namespace, dataConverter: dataConverterFor('throw') })
}

/** Connects a worker. Closing it, once the worker has ended, is the caller's. */
export function connectWorker({ address }: TemporalSettings): Promise<NativeConnection> {
  return NativeConnection.connect({ address })
}
