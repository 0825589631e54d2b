import { setTimeout as sleep } from 'node:timers/promises'

const firstPauseMs = 100
const longestPauseMs = 2000

/** Connects to a server that may be about to start: workers and server often start together. */
export async function connectPatiently<T>(connect: () => Promise<T>, patienceMs: number): Promise<T> {
  const endMs = performance.now() + patienceMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await connect()
    } catch (thrown) {
      if (performance.now() + pauseMs > endMs) throw thrown
      await sleep(pauseMs)
    }
  }
}
