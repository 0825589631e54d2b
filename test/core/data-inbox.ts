import type { Cancellation } from '../../src/core/cancellation.ts'
import type { EventInbox, KeptEvent } from '../../src/core/host/engine-ports.ts'
import type { Listening } from '../../src/core/host/host.ts'
import type { DataJournal } from './data-journal.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** An event of a case, with the hook that it comes to. */
export interface DataEvent extends KeptEvent {
  readonly hook: string
}

/** The events of a case as they come; what the journal says is taken, no step takes again. */
export function createDataInbox(
  events: readonly DataEvent[],
  { taken }: DataJournal,
  clock: VirtualClock,
  sleep: (timeMs: number, stop: Cancellation) => Promise<void>,
): EventInbox {
  const keyOf = ({ hook, id }: DataEvent): string => `${hook}/${id}`
  const seen = new WeakMap<Listening, number>()
  return {
    next(listening) {
      const from = seen.get(listening) ?? 0
      const found = events.findIndex(
        (event, place) =>
          place >= from &&
          event.hook === listening.hook &&
          event.receivedAtMs <= clock.now() &&
          !taken.has(keyOf(event)),
      )
      if (found < 0) return undefined
      seen.set(listening, found + 1)
      return events[found]
    },
    claim(event) {
      taken.add(keyOf(event as DataEvent))
      return undefined
    },
    more({ hook, endMs }, cancellation) {
      const next = events.find((event) => event.hook === hook && event.receivedAtMs > clock.now())
      return sleep(Math.min(next?.receivedAtMs ?? Number.POSITIVE_INFINITY, endMs), cancellation)
    },
  }
}
