import { setTimeout as sleep } from 'node:timers/promises'
import type { NativeConnection } from '@temporalio/worker'
import type { TemporalSettings } from '../connection.ts'
import { connectWorker } from './connect-worker.ts'

const firstPauseMs = 100
const longestPauseMs = 2000

/** Connects a worker to a server that may be about to start: workers and server often start together. */
export async function connectPatiently(
  settings: TemporalSettings,
  patienceMs: number,
): Promise<NativeConnection> {
  const endMs = performance.now() + patienceMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await connectWorker(settings)
    } catch (thrown) {
      if (performance.now() + pauseMs > endMs) throw thrown
      await sleep(pauseMs)
    }
  }
}
