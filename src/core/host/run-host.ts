import { answerCall } from './answer-call.ts'
import type { EnginePorts, MadeAttempt, PreparedCall } from './engine-ports.ts'
import type { CallContext, Host, Listening } from './host.ts'
import { askPerson } from './questions.ts'
import { waitForEvent } from './wait-for-event.ts'

/**
 * The host of a run on any engine: it replays what the engine has recorded, in its order, before it lets anything new
 * begin. Both engines decide here what is replayed, made, reused or refused.
 */
export function createRunHost<Call extends PreparedCall>(ports: EnginePorts<Call>): Host {
  const { firstReached, replay, control, brake, timer, workingTimes, results, sensitive } = ports
  return {
    call: (request, context) =>
      answerCall(request, context, context.listening ? listeningPorts(ports, context.listening) : ports),
    async sleepUntil(timeMs, { reason }, cancellation) {
      if (reason === 'timeout' && timer.atLimit) return timer.atLimit(timeMs, cancellation)
      brake.stopHere()
      if (timeMs <= timer.now()) await replay.waitForReplay(timeMs)
      await timer.until(timeMs, cancellation)
      if (!cancellation.reason && timeMs > timer.now()) brake.stopHere()
    },
    ask: (question, cancellation) => askPerson(question, cancellation, ports),
    async firstReachedAt(path) {
      return firstReached.reached(path)
    },
    workingTimes,
    ...(results ? { results } : {}),
    ...(sensitive ? { sensitive } : {}),
    checkInputs: ports.checkInputs,
    now: timer.now,
    report: ports.report,
    cancellation: control.cancellation,
    abandonment: control.abandonment,
  }
}

/** A call that waits for an event: nothing is sent, so views see no attempt. */
function listeningPorts<Call extends PreparedCall>(
  ports: EnginePorts<Call>,
  listening: Listening,
): EnginePorts<Call> {
  const make = (call: Call, context: CallContext): Promise<MadeAttempt> =>
    waitForEvent(call, context, listening, ports)
  return { ...ports, maker: { prepare: ports.maker.prepare, make }, report() {} }
}
