import { NativeConnection } from '@temporalio/worker'
import { serverOf, type TemporalSettings } from '../connection.ts'

/** Connects a worker. Closing it, once the worker has ended, is the caller's. */
export function connectWorker(settings: TemporalSettings): Promise<NativeConnection> {
  return NativeConnection.connect(serverOf(settings))
}
