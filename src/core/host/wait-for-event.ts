import type { JsonValue } from '../json.ts'
import { errorData, RunbookError } from '../run-error.ts'
import type { EnginePorts, KeptEvent, MadeAttempt, PreparedCall } from './engine-ports.ts'
import type { CallContext, Listening } from './host.ts'

type Ports = Pick<EnginePorts<PreparedCall>, 'inbox' | 'brake' | 'timer' | 'report'>

/** More events that cannot be looked at are not logged. */
const mostLogged = 5

/**
 * Waits for an event that the step wants, and answers with it. The events since the start of the run are looked at in
 * their order. A run that must stop here gives the wait up, and waits again when it resumes.
 */
export async function waitForEvent(
  { request }: PreparedCall,
  { cancellation, onWaiting }: CallContext,
  listening: Listening,
  { inbox, brake, timer, report }: Ports,
): Promise<MadeAttempt> {
  const { path } = request
  const sinceMs = timer.now()
  const waited = (): { readonly waitedMs: number } => ({ waitedMs: Math.max(timer.now() - sinceMs, 0) })
  const failed = (code: 'Cancelled' | 'Interrupted' | 'ListenTimeout', message: string): MadeAttempt => ({
    result: { status: 'failed', error: { code, message, path, notSent: true } },
    ...waited(),
  })
  let passedOver = 0
  const passOver = ({ id }: KeptEvent, why: string): void => {
    if (++passedOver > mostLogged) return
    const message = `the event ${id} of ${listening.source} is passed over: ${why}`
    report({ type: 'logged', path, level: 'warn', message })
  }
  const findWanted = (): KeptEvent | undefined => {
    for (let event = inbox.next(listening); event; event = inbox.next(listening)) {
      if (event.body === undefined) passOver(event, 'it was too large to be kept')
      else if (isWanted(listening, event.body, (why) => passOver(event as KeptEvent, why))) return event
    }
    return undefined
  }
  for (let isFirst = true; ; isFirst = false) {
    const event = findWanted()
    if (event) {
      await inbox.claim(event, request)
      const output = eventOutput(event)
      return { result: { status: 'succeeded', output }, outputText: JSON.stringify(output), ...waited() }
    }
    if (brake.isStopping()) return { ...failed('Interrupted', 'the run stops here'), isInterrupted: true }
    if (cancellation.reason) return failed('Cancelled', cancellation.reason.message)
    if (listening.endMs <= timer.now()) {
      const arriving = inbox.arriving?.(listening, cancellation)
      if (!arriving)
        return failed('ListenTimeout', `${listening.timeoutMessage}${droppedText(inbox.dropped?.())}`)
      await arriving
      continue
    }
    if (isFirst) onWaiting(true)
    await inbox.more(listening, cancellation)
  }
}

function droppedText(count = 0): string {
  if (count === 0) return ''
  return `; ${count} older ${count === 1 ? 'event was' : 'events were'} not kept, since too many came that no step has taken`
}

/** An event on which the condition fails is none that the step wants: any sender could end the run otherwise. */
function isWanted(listening: Listening, body: JsonValue, onProblem: (why: string) => void): boolean {
  try {
    return listening.isWanted(body)
  } catch (thrown) {
    if (!RunbookError.is(thrown)) throw thrown
    onProblem(errorData(thrown).message)
    return false
  }
}

/** The outputs of a step that has taken an event. */
export function eventOutput({ id, receivedAtMs, body = null }: KeptEvent): JsonValue {
  // biome-ignore lint/style/noRestrictedGlobals: writes a time, and reads no clock
  return { event: body, event_id: id, received_at: new Date(receivedAtMs).toISOString() }
}
