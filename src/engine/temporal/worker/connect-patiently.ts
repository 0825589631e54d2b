import { setTimeout as sleep } from 'node:timers/promises'
import { RunbookError } from '../../../core/run-error.ts'

const firstPauseMs = 100
const longestPauseMs = 2000
/** How often is said what is waited for. */
const sayMs = 10_000

/**
 * Connects to a server that may be about to start: workers and server often start together. Says every ten seconds what
 * is waited for. What no waiting mends, such as a namespace that is not there or keys that cannot be read, is not waited for.
 */
export async function connectPatiently<T>(
  connect: () => Promise<T>,
  patienceMs: number,
  say: (why: string) => void = () => {},
): Promise<T> {
  const endMs = performance.now() + patienceMs
  let saidMs = Number.NEGATIVE_INFINITY
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await connect()
    } catch (thrown) {
      if (isHopeless(thrown) || performance.now() + pauseMs > endMs) throw thrown
      if (performance.now() - saidMs >= sayMs) {
        saidMs = performance.now()
        say(thrown instanceof Error ? thrown.message : String(thrown))
      }
      await sleep(pauseMs)
    }
  }
}

function isHopeless(thrown: unknown): boolean {
  if (!RunbookError.is(thrown)) return false
  const { code, message } = thrown
  if (['NamespaceNotFound', 'TemporalDenied', 'PayloadUnreadable'].includes(code)) return true
  return code === 'TemporalUnavailable' && /certificate|does not speak TLS|invalid address/i.test(message)
}
