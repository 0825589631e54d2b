import { withEarlierUnknownOutcome } from '../calls/unknown-outcome.ts'
import type { ErrorData } from '../run-error.ts'
import { attemptStarted, attemptSucceeded } from './attempt-events.ts'
import type { EnginePorts, KnownAttempt, MadeAttempt, PreparedCall } from './engine-ports.ts'
import type { Attempted, CallContext, CallRequest } from './host.ts'
import {
  abandonedAttempt,
  lostCreate,
  type Recovery,
  type RecoveryFacts,
  recoverAttempt,
  reusableOf,
} from './recover-attempt.ts'

/**
 * Answers with the recorded result of an attempt; else makes it, between a record that it is about to be made and one
 * of its result. It begins once everything recorded is replayed, the run is not paused, and the parallel limit permits it. A new call
 * awaits only what its engine does: in the isolate of a workflow each async function costs.
 */
export async function answerCall<Call extends PreparedCall>(
  request: CallRequest,
  context: CallContext,
  ports: EnginePorts<Call>,
): Promise<Attempted> {
  const { attempts, maker, replay, brake, timer, report } = ports
  brake.stopHere()
  const call = maker.prepare(request)
  const known = attempts.find(call)
  if (known) {
    const recovered = await recoverKnown(call, known, context, ports)
    if (recovered) return recovered
  } else {
    const catchingUp = replay.caughtUp()
    if (catchingUp) await catchingUp
  }
  const entering = enterLimit(call, context, ports)
  const isEntered = typeof entering === 'boolean' ? entering : await entering
  try {
    const { reason } = context.cancellation
    let recovery = decide(call, known, ports, reason !== undefined)
    if (reason && recovery.kind === 'abandoned')
      return notBegun(abandonedAttempt(request.path, reason, recovery), timer.now())
    brake.stopHere()
    if (!known && ports.reusable) {
      const found = await lookForReusable(call, ports)
      if ('attempted' in found) return found.attempted
      recovery = found
    }
    const isSecondTime = recovery.kind === 'retry-with-unknown-outcome'
    const startedAtMs = timer.now()
    const begun = attempts.begin(call, startedAtMs)
    if (begun) await begun
    report(attemptStarted(request))
    const made = withOwnError(await maker.make(call, context), isSecondTime, call, context)
    const { result, requestId, warnings, waitedMs } = made
    if (made.isInterrupted) {
      // What was not sent was not begun, unless by an earlier process.
      if (result.status === 'failed' && result.error.notSent && !isSecondTime) await attempts.withdraw(call)
      brake.stopHere()
    }
    const attempted: Attempted = { startedAtMs, endedAtMs: timer.now(), waitedMs, ...result }
    const finished = attempts.finish(call, made, attempted)
    if (finished) await finished
    if (attempted.status === 'succeeded')
      report(attemptSucceeded(request, { output: attempted.output, requestId, warnings }, call))
    return attempted
  } finally {
    if (isEntered) ports.parallelLimit.leave()
  }
}

function decide<Call extends PreparedCall>(
  { safety }: Call,
  known: KnownAttempt | undefined,
  { isResumed }: EnginePorts<Call>,
  isCancelled: boolean,
  reusable?: RecoveryFacts['reusable'],
): Recovery {
  const recorded = known?.status === 'ended' ? known.attempted : known?.status
  return recoverAttempt({ known: recorded, safety, isCancelled, isResumed, reusable })
}

/** How exact a timer is taken to be: it may fire some milliseconds after the time that was noted. */
const timerMs = 10

/** Answers with what the record says, in its order. Undefined: the attempt is to be made again, and may begin. */
async function recoverKnown<Call extends PreparedCall>(
  call: Call,
  known: KnownAttempt,
  context: CallContext,
  ports: EnginePorts<Call>,
): Promise<Attempted | undefined> {
  const { replay, brake, control } = ports
  const { request } = call
  const recorded = decide(call, known, ports, false)
  if (known.status === 'ended') {
    const { attempted, position, requestId } = known
    if (recorded.kind === 'replay') {
      const isLast = recorded.order === 'last'
      await (isLast ? replay.caughtUp() : replay.waitForReplay(attempted.endedAtMs, position))
      replay.consumed()
      if (isLast) await control.ready(request.path, context)
      // What ended after a cancellation, or was decided there, starts nothing new.
      else await control.afterCancellation?.(attempted.endedAtMs)
      if (attempted.status === 'succeeded' && recorded.isReported)
        ports.report(
          attemptSucceeded(request, { output: attempted.output, requestId, isReplayed: true }, call),
        )
      return attempted
    }
    // A cancelled attempt took its time, and that may be why: counted, the same limit cancels it again.
    const { startedAtMs, endedAtMs, waitedMs = 0 } = attempted
    context.past(startedAtMs, endedAtMs - waitedMs + timerMs)
  }
  await replay.caughtUp()
  brake.stopHere()
  replay.consumed()
  return recorded.kind === 'lost-create' ? settleLost(call, known, ports) : undefined
}

/** Enters the parallel limit for a new call; false: the call is no longer wanted. A paused run begins nothing. */
function enterLimit<Call extends PreparedCall>(
  call: Call,
  context: CallContext,
  ports: EnginePorts<Call>,
): boolean | Promise<boolean> {
  const { control, brake, parallelLimit } = ports
  brake.check()
  const paused = control.ready(call.request.path, context)
  return (!paused && parallelLimit.tryEnter()) || waitToEnter(paused, call, context, ports)
}

async function waitToEnter<Call extends PreparedCall>(
  paused: Promise<void> | undefined,
  call: Call,
  context: CallContext,
  ports: EnginePorts<Call>,
): Promise<boolean> {
  const { control, brake, parallelLimit } = ports
  const isUnwanted = (): boolean => context.cancellation.reason !== undefined || brake.isStopping()
  await paused
  const isEntered = parallelLimit.tryEnter() || (await parallelLimit.enter(isUnwanted))
  if (!isEntered || !control.isPaused() || isUnwanted()) return isEntered
  // The run was paused while the call waited for the parallel limit.
  parallelLimit.leave()
  return enterLimit(call, context, ports)
}

/** Reuses the result of an equal call from before a resume with changes, or says how the call is to be made. */
async function lookForReusable<Call extends PreparedCall>(
  call: Call,
  ports: EnginePorts<Call>,
): Promise<Recovery | { readonly attempted: Attempted }> {
  const { attempts, reusable, report } = ports
  const taken = (await reusable?.take(call)) ?? ({ kind: 'to-make', hasUnknownOutcome: false } as const)
  const recovery = decide(call, undefined, ports, false, reusableOf(taken))
  if (recovery.kind === 'lost-create') return { attempted: await settleLost(call, undefined, ports) }
  if (recovery.kind !== 'reuse' || taken.kind !== 'reused') return recovery
  const { attempted, requestId } = taken
  await attempts.takeOver(call, taken)
  if (attempted.status === 'succeeded')
    report(attemptSucceeded(call.request, { output: attempted.output, requestId, isReplayed: true }, call))
  return { attempted }
}

/** Records that a create has an unknown outcome: it was begun before, and is not sent again. */
async function settleLost<Call extends PreparedCall>(
  call: Call,
  known: KnownAttempt | undefined,
  { attempts, timer }: EnginePorts<Call>,
): Promise<Attempted> {
  const { path, action } = call.request
  const ended = notBegun(lostCreate(action, path), timer.now())
  if (!known) await attempts.begin(call, ended.startedAtMs)
  const { startedAtMs } = known?.status === 'ended' ? known.attempted : (known ?? ended)
  // No process worked on it meanwhile: a time limit must not end because a process was down.
  const waitedMs = Math.max(ended.endedAtMs - startedAtMs, 0)
  await attempts.finish(call, { result: ended, waitedMs }, ended)
  return ended
}

/** What is refused now may have been done by a process or a worker that ended. */
function withOwnError(
  made: MadeAttempt,
  isSecondTime: boolean,
  { safety }: PreparedCall,
  { maskError = (error) => error }: CallContext,
): MadeAttempt {
  const { result } = made
  if (result.status === 'succeeded') return made
  const error = maskError(result.error)
  const isUnknown = isSecondTime || made.mayHaveExecuted
  return {
    ...made,
    result: { status: 'failed', error: isUnknown ? withEarlierUnknownOutcome(error, safety) : error },
  }
}

function notBegun(error: ErrorData, nowMs: number): Attempted & { readonly status: 'failed' } {
  return { status: 'failed', error, startedAtMs: nowMs, endedAtMs: nowMs }
}
