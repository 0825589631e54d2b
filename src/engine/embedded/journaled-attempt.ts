import { attemptReplayed, attemptStarted, attemptSucceeded } from '../../core/host/attempt-events.ts'
import {
  abandonedAttempt,
  lostCreate,
  type Recovery,
  type RecoveryFacts,
  recoverAttempt,
  reusableOf,
} from '../../core/host/recover-attempt.ts'
import type { Attempted, CallContext, CallRequest } from '../../core/host.ts'
import { placeOfCall } from '../../core/record/place-of-call.ts'
import type { ReplayOrder } from '../../core/record/replay-order.ts'
import { whatIsAsked } from '../../core/record/what-is-asked.ts'
import { type ErrorData, isUnclear, RunbookError } from '../../core/run-error.ts'
import { withEarlierDoubt } from '../../core/unknown-outcome.ts'
import { canonicalHash } from '../attempt/canonical-hash.ts'
import { type Answered, type AttemptCall, type AttemptPorts, makeAttempt } from '../attempt/make-attempt.ts'
import { sentText } from '../attempt/sent-text.ts'
import type { OpenedSeeds } from './amend/open-amended.ts'
import type { RunArtifacts } from './artifacts.ts'
import type { AttemptIntent, Journal, KnownAttempt } from './journal.ts'
import type { RunControl } from './run-control.ts'

/** What making attempts that are journaled needs. */
export interface JournaledPorts extends AttemptPorts {
  readonly artifacts: RunArtifacts
  readonly journal: Journal
  readonly replay: ReplayOrder
  readonly control: RunControl
  /** What was done before the run was amended. */
  readonly seeds: OpenedSeeds | undefined
}

/** One attempt to make, and what surrounds it. */
export interface JournaledCall extends AttemptCall {
  readonly context: CallContext
}

/**
 * Answers with what the journal holds of an attempt; else makes it, between an entry that says that it is about to be
 * made and one that says what it came to. Both are on disk before anything follows from them.
 */
export async function attemptOnce(call: JournaledCall, ports: JournaledPorts): Promise<Attempted> {
  const { request, safety, action, context } = call
  const { journal, replay, report, interrupt, clock, control, seeds } = ports
  const intent = intentOf(request)
  const known = journal.find(intent)
  const facts: RecoveryFacts = {
    known: known?.status === 'ended' ? known.attempted : known?.status,
    safety,
    isCancelled: false,
    isResumed: true,
  }
  const recorded = recoverAttempt(facts)
  if (known?.status === 'ended') {
    if (recorded.kind === 'replay') return replayAttempt(call, known, recorded, ports)
    // A cancelled attempt took its time, and that may be why: counted, the same limit cancels it again. A timer may
    // have fired some milliseconds after the time that was noted.
    const { startedAtMs, endedAtMs, waitedMs = 0 } = known.attempted
    context.past(startedAtMs, endedAtMs - waitedMs + timerMs)
  }
  if (!replay.isOver()) await replay.afterReplay()
  if (interrupt.reason) throw stopped()
  if (recorded.kind === 'lost-create' || recorded.kind === 'retry-with-unknown-outcome') replay.consumed()
  if (recorded.kind === 'lost-create') return settleLost(call, intent, known, ports)
  await control.ready(request.path, context)
  if (interrupt.reason) throw stopped()
  const { reason } = context.cancellation
  const wanted = recoverAttempt({ ...facts, isCancelled: reason !== undefined })
  if (reason && wanted.kind === 'abandoned')
    return notBegun(abandonedAttempt(request.path, reason, wanted), clock.now())
  if (known || !seeds) return begin(call, intent, ports, wanted)
  const isLocal = action.isLocal === true
  const { path, action: name, argumentHash: asked } = intent
  const taken = await seeds.take({ path, action: name, asked, safety, isLocal })
  const recovery = recoverAttempt({ ...facts, reusable: reusableOf(taken) })
  if (recovery.kind !== 'reuse' || taken.kind !== 'reused') return begin(call, intent, ports, recovery)
  const { requestId, ...attempted } = seeds.read(taken.seed.id)
  await journal.takeOver(intent, taken.seed.id)
  report(attemptReplayed(request, { output: attempted.output, requestId }, action))
  return { status: 'succeeded', ...attempted }
}

/** Answers with the recorded result, in its turn. */
async function replayAttempt(
  { request, context, action }: JournaledCall,
  { attempted, place, requestId }: Extract<KnownAttempt, { readonly status: 'ended' }>,
  { order, isReported }: Extract<Recovery, { readonly kind: 'replay' }>,
  { replay, report, control }: JournaledPorts,
): Promise<Attempted> {
  await (order === 'last' ? replay.afterReplay() : replay.waitForTurn(attempted.endedAtMs, place))
  replay.consumed()
  if (order === 'last') await control.ready(request.path, context)
  if (attempted.status === 'succeeded' && isReported)
    report(attemptReplayed(request, { output: attempted.output, requestId }, action))
  return attempted
}

function intentOf(request: CallRequest): AttemptIntent {
  const { path, attempt, action } = request
  return { path, attempt, action, argumentHash: canonicalHash(whatIsAsked(request)) }
}

/** The process that had begun a create ended before the answer was recorded: it is not sent again. */
async function settleLost(
  { request: { path }, action }: JournaledCall,
  intent: AttemptIntent,
  known: KnownAttempt | undefined,
  { journal, clock }: JournaledPorts,
): Promise<Attempted> {
  const ended = notBegun(lostCreate(action.name, path), clock.now())
  const { startedAtMs } = known?.status === 'ended' ? known.attempted : (known ?? ended)
  // Nobody has worked on it meanwhile: no limit must be over because a process was dead.
  const waitedMs = Math.max(ended.endedAtMs - startedAtMs, 0)
  await journal.finish(intent, { result: ended, waitedMs }, ended.endedAtMs)
  return ended
}

function notBegun(error: ErrorData, nowMs: number): Attempted & { readonly status: 'failed' } {
  return { status: 'failed', error, startedAtMs: nowMs, endedAtMs: nowMs }
}

async function begin(
  call: JournaledCall,
  intent: AttemptIntent,
  ports: JournaledPorts,
  recovery: Recovery,
): Promise<Attempted> {
  const isSecondTime = recovery.kind === 'retry-with-unknown-outcome'
  const { request, context, action } = call
  const { journal, report, interrupt, clock } = ports
  const startedAtMs = clock.now()
  if (call.safety === 'read') await journal.beginRead(intent, startedAtMs)
  else await journal.begin(intent, startedAtMs, sentText(request, action, call.safety))
  report(attemptStarted(request))
  const artifacts = ports.artifacts.forCall(placeOfCall(request.path))
  const made = await makeAttempt(call, artifacts, context, ports)
  const answered = isSecondTime ? doubted(call, made) : made
  const { result } = answered
  if (interrupt.reason && result.status === 'failed' && result.error.code === 'Cancelled') {
    // Given up by this process only. A read that was begun is made again; a write that was not sent was not begun,
    // unless by a process before this one.
    if (result.error.notSent && !isSecondTime) await journal.withdraw(intent)
    throw stopped()
  }
  const endedAtMs = clock.now()
  try {
    await journal.finish(intent, answered, endedAtMs)
  } catch (cause) {
    throw unrecorded(call, answered, cause)
  }
  if (result.status === 'succeeded')
    report(attemptSucceeded(request, { ...answered, output: result.output }, action))
  return { startedAtMs, endedAtMs, waitedMs: answered.waitedMs, ...result }
}

/** This process is to stop, and the run goes on later. */
export function stopped(): RunbookError {
  return new RunbookError('Interrupted', 'the run was asked to stop', { notSent: true })
}

/** How exact a timer is taken to be. */
const timerMs = 10

/** What is refused now may have been done by the process that ended. */
function doubted({ safety }: JournaledCall, answered: Answered): Answered {
  const { result } = answered
  if (result.status === 'succeeded') return answered
  return { ...answered, result: { status: 'failed', error: withEarlierDoubt(result.error, safety) } }
}

/**
 * Why an outcome that could not be recorded ends the run. Where something was, or may have been, done, the run ends as
 * an unknown outcome that holds all that is known of it: no later run may take the step for undone.
 */
function unrecorded(
  { action, safety, request: { path } }: JournaledCall,
  { result, requestId }: Answered,
  cause: unknown,
): unknown {
  const isDone = result.status === 'succeeded' || isUnclear(result.error)
  if (safety === 'read' || !isDone) return cause
  const known = result.status === 'succeeded' ? { output: result.output } : { error: result.error.message }
  const message = `${action.name} was sent and its outcome could not be recorded: ${(cause as Error).message}`
  return new RunbookError('OutcomeUnknown', message, {
    path,
    details: known,
    cause,
    endsRun: true,
    ...(requestId === undefined ? {} : { requestId }),
  })
}
