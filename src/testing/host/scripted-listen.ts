import {
  type Attempted,
  type CallContext,
  type CallRequest,
  type Listening,
  waitForEvent,
} from '../../core/host/index.ts'
import { cancelledAttempt } from './scripted-attempt.ts'
import { createScriptedInbox } from './scripted-inbox.ts'
import { report, type ScriptedProcess, sleep, stopHere } from './scripted-process.ts'

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
