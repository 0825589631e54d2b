import {
  type Attempted,
  type CallContext,
  type CallRequest,
  type EventInbox,
  type Listening,
  waitForEvent,
} from '../../core/host/index.ts'
import { cancelledAttempt } from './scripted-attempt.ts'
import { report, type ScriptedProcess, sleep, stopHere } from './scripted-process.ts'
import type { HookEvent } from './scripted-world.ts'

/** Waits for an event: what the world says comes of it, or the first of its events that the step takes. */
export async function listenToWorld(
  request: CallRequest,
  context: CallContext,
  listening: Listening,
  process: ScriptedProcess,
): Promise<Attempted> {
  const { world, clock, interruption } = process
  const startedAtMs = clock.now()
  if (world.listen) {
    context.onWaiting(true)
    const { result, takesMs } = await world.listen(request)
    const untilMs = startedAtMs + takesMs
    await sleep(process, untilMs, [context.cancellation, interruption])
    const came = clock.now() < untilMs ? cancelledAttempt({ notSent: true }) : result
    return { ...came, startedAtMs, endedAtMs: clock.now(), waitedMs: clock.now() - startedAtMs }
  }
  const check = (): void => stopHere(process)
  const made = await waitForEvent({ request, safety: 'read', action: undefined }, context, listening, {
    inbox: createScriptedInbox(process),
    brake: { isStopping: () => interruption.reason !== undefined, stopHere: check, check },
    timer: { now: clock.now, until: () => Promise.resolve() },
    report: (event) => report(process, event),
  })
  return { ...made.result, startedAtMs, endedAtMs: clock.now(), waitedMs: made.waitedMs }
}

/** The events of a script as they come; what the journal says is taken, no step takes again. */
function createScriptedInbox(process: ScriptedProcess): EventInbox {
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
