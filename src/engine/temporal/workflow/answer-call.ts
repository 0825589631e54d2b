import type { Safety } from '../../../core/action.ts'
import type { Attempted, CallContext, CallRequest } from '../../../core/host.ts'
import { fromJournal } from '../../../core/record/from-journal.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { actionIn } from './action-in.ts'
import type { AttemptPorts } from './attempt-ports.ts'
import { beginAttempt } from './begin-attempt.ts'
import { hearAgain } from './hear-again.ts'

/**
 * Answers with what an execution before this one was answered; else makes one attempt, as soon as the run may begin
 * something new and there is a place for it.
 */
export async function answerCall(
  request: CallRequest,
  context: CallContext,
  ports: AttemptPorts,
): Promise<Attempted> {
  const { path, attempt, action } = request
  const { control, memory, drain, gate } = ports
  const described = actionIn(ports.index, request)
  const safety: Safety = described?.safety ?? 'idempotent'
  const known = memory.find(path, attempt)
  if (known) {
    const heard = await hearAgain(known, context, safety, ports)
    if (heard) return heard
  }
  if (!memory.isCaughtUp) await memory.caughtUp
  const isUnwanted = (): boolean => context.cancellation.reason !== undefined || drain.isBegun()
  let hasPlace = false
  do {
    if (hasPlace) gate.leave()
    drain.check()
    const wait = control.ready(path, context)
    if (wait) await wait
    hasPlace = gate.tryEnter() || (await gate.enter(isUnwanted))
    // Somebody may have paused the run while it waited for a place.
  } while (hasPlace && control.isPaused && !isUnwanted())
  try {
    const { reason } = context.cancellation
    if (reason) return notBegun({ ...reason, code: 'Cancelled', path, notSent: true }, Date.now())
    drain.stopHere()
    const taken = ports.amended && (await ports.amended.take(request, safety))
    if (taken?.kind === 'reused') {
      const { attempted, requestId } = taken
      if (attempted.status === 'succeeded')
        ports.report(fromJournal(request, requestId, attempted.output, described))
      memory.keep({ path, attempt, action, attempted, ...(requestId === undefined ? {} : { requestId }) })
      return attempted
    }
    const { requestId, ...attempted } = await beginAttempt(request, context, safety, ports, taken?.isInDoubt)
    memory.keep({ path, attempt, action, attempted, ...(requestId === undefined ? {} : { requestId }) })
    return attempted
  } finally {
    if (hasPlace) gate.leave()
  }
}

function notBegun(error: ErrorData, nowMs: number): Attempted {
  return { status: 'failed', error, startedAtMs: nowMs, endedAtMs: nowMs }
}
