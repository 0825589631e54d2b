import { setTimeout as sleep } from 'node:timers/promises'
import { type ErrorData, errorData } from '../../core/run-error.ts'
import type { ClientPorts } from '../../engine/temporal/client/index.ts'
import type { MissedTimes, TemporalEventStore } from '../../engine/temporal/received-events/index.ts'
import { readMissedTimes } from '../../engine/temporal/schedules/index.ts'
import type { BackgroundWork } from '../schedules/scheduler.ts'

/** What missed times are watched with. */
export interface WatchOptions {
  readonly ports: ClientPorts
  readonly eventStore: Pick<TemporalEventStore, 'notifyMissed'>
  /** Receives the missed times that people are notified of. */
  readonly onMissed: (missed: MissedTimes) => void
  /** Receives an error of reading or notifying, once until both work again. */
  readonly onProblem: (problem: ErrorData) => void
}

const everyMs = 60_000

/**
 * Checks once a minute how many times a Temporal server has missed, and notifies people: the server only
 * counts them.
 */
export function watchMissed({ ports, eventStore, onMissed, onProblem }: WatchOptions): BackgroundWork {
  const stopped = new AbortController()
  let reported = '[]'
  let isInTrouble = false
  const look = async (): Promise<void> => {
    try {
      const read = await readMissedTimes(ports)
      const counts = JSON.stringify(read)
      // The event store records what was sent: nothing is sent twice.
      if (counts !== reported) for (const missed of await eventStore.notifyMissed(read)) onMissed(missed)
      reported = counts
      isInTrouble = false
    } catch (thrown) {
      if (!isInTrouble && !stopped.signal.aborted) onProblem(errorData(thrown))
      isInTrouble = true
    }
  }
  const watch = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await look()
      await sleep(everyMs, undefined, { signal: stopped.signal }).catch(() => {})
    }
  }
  return {
    async start() {
      void watch()
    },
    // The pending answer is not needed.
    async stop() {
      stopped.abort()
    },
  }
}
