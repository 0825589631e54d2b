import type { Cancellation, EventInbox, KeptEvent, Listening } from '../../core/host/index.ts'
import type { TestJournal } from './test-journal.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** An event of a script, with the hook that receives it. */
export interface HookEvent extends KeptEvent {
  readonly hook: string
}

/** The events of a script as they come; what the journal says is taken, no step takes again. */
export function createScriptedInbox(
  events: readonly HookEvent[],
  { taken }: TestJournal,
  clock: VirtualClock,
  sleep: (timeMs: number, stop: Cancellation) => Promise<void>,
): EventInbox {
  const keyOf = ({ hook, id }: HookEvent): string => `${hook}/${id}`
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
      taken.add(keyOf(event as HookEvent))
      return undefined
    },
    more({ hook, endMs }, cancellation) {
      const next = events.find((event) => event.hook === hook && event.receivedAtMs > clock.now())
      return sleep(Math.min(next?.receivedAtMs ?? Number.POSITIVE_INFINITY, endMs), cancellation)
    },
  }
}
