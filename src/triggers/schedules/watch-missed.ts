import { setTimeout as sleep } from 'node:timers/promises'
import { type ErrorData, errorData } from '../../core/run-error.ts'
import type { ClientPorts } from '../../engine/temporal/client/talk-to-run.ts'
import type { TemporalEventBook } from '../../engine/temporal/events/event-book.ts'
import type { MissedTimes } from '../../engine/temporal/events/messages.ts'
import { readMissedTimes } from '../../engine/temporal/schedules/missed-times.ts'
import type { BackgroundWork } from '../serve/background.ts'

/** Whose schedules are watched, and who hears of it. */
export interface WatchOptions {
  readonly ports: ClientPorts
  readonly book: Pick<TemporalEventBook, 'tellMissed'>
  /** Told of what people are told of now. */
  readonly onMissed: (missed: MissedTimes) => void
  /** Told that nobody can look, or be told, once until somebody can. */
  readonly onProblem: (problem: ErrorData) => void
}

const everyMs = 60_000

/** Looks how many times of schedules a Temporal server has missed, and has people told: the server only counts them. */
export function watchMissed({ ports, book, onMissed, onProblem }: WatchOptions): BackgroundWork {
  const stopped = new AbortController()
  let told = '[]'
  let isInTrouble = false
  const look = async (): Promise<void> => {
    try {
      const read = await readMissedTimes(ports)
      const counts = JSON.stringify(read)
      // What is said stands in a history: nothing is said twice.
      if (counts !== told) for (const missed of await book.tellMissed(read)) onMissed(missed)
      told = counts
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
    // Nobody needs the answer that it may still wait for.
    async stop() {
      stopped.abort()
    },
  }
}
