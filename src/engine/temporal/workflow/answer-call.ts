import type { Safety } from '../../../core/action.ts'
import { attemptReplayed } from '../../../core/host/attempt-events.ts'
import {
  abandonedAttempt,
  lostCreate,
  type RecoveryFacts,
  recoverAttempt,
  reusableOf,
} from '../../../core/host/recover-attempt.ts'
import type { Attempted, CallContext, CallRequest } from '../../../core/host.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { actionIn } from './action-in.ts'
import type { AttemptPorts } from './attempt-ports.ts'
import { beginAttempt } from './begin-attempt.ts'
import type { KnownAttempt } from './workflow-memory.ts'

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
  const { control, memory, drain, gate, amended } = ports
  const described = actionIn(ports.index, request)
  const safety: Safety = described?.safety ?? 'idempotent'
  const known = memory.find(path, attempt)
  const facts: RecoveryFacts = {
    known: known?.attempted,
    safety,
    isCancelled: false,
    isResumed: ports.start.carried?.isResumed === true,
  }
  if (known) {
    const replayed = await replayAttempt(known, facts, context, ports)
    if (replayed) return replayed
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
    const wanted = recoverAttempt({ ...facts, isCancelled: reason !== undefined })
    if (reason && wanted.kind === 'abandoned') return notBegun(abandonedAttempt(path, reason, wanted))
    drain.stopHere()
    const taken = known || !amended ? undefined : await amended.take(request, safety)
    const recovery = recoverAttempt({ ...facts, reusable: reusableOf(taken) })
    if (recovery.kind === 'reuse' && taken?.kind === 'reused') {
      const { attempted, requestId } = taken
      if (attempted.status === 'succeeded')
        ports.report(attemptReplayed(request, { output: attempted.output, requestId }, described))
      memory.keep({ path, attempt, action, attempted, ...(requestId === undefined ? {} : { requestId }) })
      return attempted
    }
    const { requestId, ...attempted } = await beginAttempt(request, context, safety, ports, recovery)
    memory.keep({ path, attempt, action, attempted, ...(requestId === undefined ? {} : { requestId }) })
    return attempted
  } finally {
    if (hasPlace) gate.leave()
  }
}

/**
 * Answers with the result of an earlier execution, in its turn. Undefined: it was cancelled before it was done,
 * and the run wants it again.
 */
async function replayAttempt(
  { path, attempt, action, attempted, place, requestId }: KnownAttempt,
  facts: RecoveryFacts,
  { cancellation }: CallContext,
  { memory, report, index }: AttemptPorts,
): Promise<Attempted | undefined> {
  const recorded = recoverAttempt(facts)
  if (recorded.kind === 'replay' && recorded.order === 'in-turn') {
    await memory.replay.waitForTurn(attempted.endedAtMs, place)
    memory.replay.consumed()
    if (attempted.status === 'succeeded' && recorded.isReported)
      report(
        attemptReplayed(
          { path, attempt },
          { output: attempted.output, requestId },
          actionIn(index, { path, action }),
        ),
      )
    return attempted
  }
  memory.replay.consumed()
  await memory.caughtUp
  const wanted = recoverAttempt({ ...facts, isCancelled: cancellation.reason !== undefined })
  if (wanted.kind === 'lost-create') return notBegun(lostCreate(action, path))
  return wanted.kind === 'replay' || wanted.kind === 'abandoned' ? attempted : undefined
}

function notBegun(error: ErrorData): Attempted {
  const nowMs = Date.now()
  return { status: 'failed', error, startedAtMs: nowMs, endedAtMs: nowMs }
}
