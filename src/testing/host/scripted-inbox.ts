import type { EventInbox } from '../../core/host/index.ts'
import { type ScriptedProcess, sleep } from './scripted-process.ts'
import type { HookEvent } from './scripted-world.ts'

/** The events of a script as they come; what the journal says is taken, no step takes again. */
export function createScriptedInbox(process: ScriptedProcess): EventInbox {
  const { clock, interruption, seen } = process
  const { taken } = process.journal
  const { events = [] } = process.world
  const keyOf = ({ hook, id }: HookEvent): string => `${hook}/${id}`
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
      const untilMs = Math.min(next?.receivedAtMs ?? Number.POSITIVE_INFINITY, endMs)
      return sleep(process, untilMs, [cancellation, interruption])
    },
  }
}
