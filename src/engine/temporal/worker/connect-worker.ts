import { setTimeout as sleep } from 'node:timers/promises'
import { NativeConnection } from '@temporalio/worker'
import { RunbookError } from '../../../core/run-error.ts'
import { openingError, serverOf, type TemporalSettings } from '../connection.ts'

const firstPauseMs = 100
const longestPauseMs = 2000
/** The interval of the reports. */
const reportEveryMs = 10_000

/**
 * Connects to a server that may still be starting. Reports the problem every ten seconds. Rejects without waiting for
 * errors that stay, such as a missing namespace or keys that cannot be read.
 */
export async function connectWithRetries<T>(
  connect: () => Promise<T>,
  maxWaitMs: number,
  report: (problem: string) => void = () => {},
): Promise<T> {
  const endMs = performance.now() + maxWaitMs
  let reportedMs = Number.NEGATIVE_INFINITY
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await connect()
    } catch (thrown) {
      if (isPermanent(thrown) || performance.now() + pauseMs > endMs) throw thrown
      if (performance.now() - reportedMs >= reportEveryMs) {
        reportedMs = performance.now()
        report(thrown instanceof Error ? thrown.message : String(thrown))
      }
      await sleep(pauseMs)
    }
  }
}

const permanentCodes: readonly string[] = [
  'NamespaceNotFound',
  'TemporalDenied',
  'TemporalTlsFailed',
  'PayloadUnreadable',
]

function isPermanent(thrown: unknown): boolean {
  if (!RunbookError.is(thrown)) return false
  const { code, message } = thrown
  return permanentCodes.includes(code) || (code === 'TemporalUnavailable' && /invalid address/i.test(message))
}

/** Connects a worker. The caller closes the connection after the worker has ended. Rejects as a client does. */
export async function connectWorker(settings: TemporalSettings): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(serverOf(settings))
  } catch (thrown) {
    throw openingError(thrown, settings)
  }
}
