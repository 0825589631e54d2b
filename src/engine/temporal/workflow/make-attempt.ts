import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  scheduleActivity,
  TimeoutFailure,
} from '@temporalio/workflow'
import type { Safety } from '../../../core/action.ts'
import type { RunEvent } from '../../../core/events.ts'
import type { Attempted, CallContext, CallRequest } from '../../../core/host.ts'
import type { PlanIndex } from '../../../core/record/plan-index.ts'
import { type ErrorData, isUnclear } from '../../../core/run-error.ts'
import { whyUnreadable } from '../codec/unreadable.ts'
import {
  type AttemptAnswer,
  type AttemptFacts,
  type AttemptOrder,
  type AttemptRefusal,
  givenUp,
  type RunStart,
} from '../messages.ts'
import type { AttemptWaits } from './attempt-waits.ts'
import type { Drain } from './drain.ts'
import type { Gate } from './gate.ts'
import type { RunControl } from './run-control.ts'
import type { KnownAttempt, RunMemory } from './run-memory.ts'

/** What making attempts needs. */
export interface AttemptPorts {
  readonly start: RunStart
  readonly index: PlanIndex
  readonly control: RunControl
  readonly memory: RunMemory
  readonly drain: Drain
  readonly gate: Gate
  readonly waits: AttemptWaits
  report(event: RunEvent): void
}

/** What came of one attempt. */
type Made =
  | { readonly kind: 'answered'; readonly answer: AttemptAnswer }
  | { readonly kind: 'refused'; readonly refusal: AttemptRefusal }
  /** Its worker was lost, or stops. `mayBeDone`: it can have sent something. */
  | { readonly kind: 'lost'; readonly why: string; readonly mayBeDone: boolean }

/** How long an attempt of a create may be out of touch with the server before its worker counts as lost. */
const createHeartbeat = '2 minutes'
/** The same of anything else, which is simply made again. */
const otherHeartbeat = '10 seconds'
/** Waiting for the rate limit is a part of an attempt: some windows are a day. */
const longest = '3 days'
/** How often an attempt is given to another worker before the action is taken to be what ends workers. */
const mostLosses = 10

/**
 * Answers with what an execution before this one was answered; else makes one attempt, as one activity. More only where
 * the worker of one was lost and it can be made again.
 */
export async function makeAttempt(
  request: CallRequest,
  context: CallContext,
  ports: AttemptPorts,
): Promise<Attempted> {
  const { path, attempt, action } = request
  const { control, memory, drain, gate } = ports
  const safety = safetyIn(ports.index, request)
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
    if (reason) return ended({ ...reason, code: 'Cancelled', path, notSent: true }, Date.now())
    drain.stopHere()
    const { requestId, ...attempted } = await begin(request, context, safety, ports)
    memory.keep({ path, attempt, action, attempted, ...(requestId === undefined ? {} : { requestId }) })
    return attempted
  } finally {
    if (hasPlace) gate.leave()
  }
}

/** In its turn. What nobody wanted any more is made again where it is wanted again. */
async function hearAgain(
  { path, attempt, attempted, place, requestId }: KnownAttempt,
  { cancellation }: CallContext,
  safety: Safety,
  { start, memory, report }: AttemptPorts,
): Promise<Attempted | undefined> {
  const isCancelled = attempted.status === 'failed' && attempted.error.code === 'Cancelled'
  if (!isCancelled) {
    await memory.replay.past(attempted.endedAtMs, place)
    memory.replay.heard()
    if (attempted.status === 'succeeded' && start.carried?.isResumed) {
      const request = requestId === undefined ? {} : { request_id: requestId }
      report({ type: 'attempt_succeeded', path, attempt, ...request, from_journal: true })
    }
    return attempted
  }
  memory.replay.heard()
  await memory.caughtUp
  const isGivenUp = safety === 'read' || attempted.error.notSent === true
  return isGivenUp && !cancellation.reason ? undefined : attempted
}

async function begin(
  request: CallRequest,
  context: CallContext,
  safety: Safety,
  ports: AttemptPorts,
): Promise<Attempted & { readonly requestId?: string }> {
  const { path, attempt, action } = request
  const startedAtMs = Date.now()
  ports.report({ type: 'attempt_started', path, attempt, action })
  let isDoubtful = false
  for (let losses = 0; ; losses++) {
    const made = await schedule(request, safety, context, ports)
    if (made.kind === 'answered') return succeeded(made.answer, startedAtMs, request, ports)
    if (made.kind === 'refused') {
      tellLog(made.refusal, request, ports)
      const { error, waitedMs } = made.refusal
      const failure = ended(isDoubtful ? withDoubt(error, safety) : error, startedAtMs)
      return waitedMs === undefined ? failure : { ...failure, waitedMs }
    }
    isDoubtful ||= made.mayBeDone
    if (safety === 'create' && made.mayBeDone) {
      const message = `${action} was begun, and its outcome is not known: ${made.why}`
      return ended({ code: 'OutcomeUnknown', message, path }, startedAtMs)
    }
    if (losses >= mostLosses) {
      const message = `${action} was begun ${losses + 1} times, and each time its worker was lost: ${made.why}`
      return ended({ code: 'InternalDefect', message, path }, startedAtMs)
    }
  }
}

/** A lost worker can be asked nothing: how safe the call is stands in the plan. */
function safetyIn(index: PlanIndex, { path, action }: CallRequest): Safety {
  const step = index.ownerOf(path)?.step
  return step?.kind === 'uses' && step.uses.action.name === action ? step.uses.action.safety : 'idempotent'
}

async function schedule(
  request: CallRequest,
  safety: Safety,
  context: CallContext,
  { start, index, waits }: AttemptPorts,
): Promise<Made> {
  const { runId, actionQueue, connection, createHeartbeatMs = createHeartbeat } = start
  const order: AttemptOrder = {
    runId,
    request,
    safety,
    tellsWaitsFromMs: waits.tellsFromMs(),
    ...(connection === undefined ? {} : { connection }),
  }
  const scope = new CancellationScope()
  const forget = context.cancellation.onCancel(() => scope.cancel())
  const leave = waits.listen(request, context)
  try {
    const answer = await scope.run(() =>
      scheduleActivity<AttemptAnswer>(request.action, [order], {
        taskQueue: actionQueue,
        ...activityIdOf(request),
        summary: summaryOf(request, index),
        startToCloseTimeout: longest,
        heartbeatTimeout: safety === 'create' ? createHeartbeatMs : otherHeartbeat,
        retry: { maximumAttempts: 1 },
        cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
      }),
    )
    const unreadable = whyUnreadable(answer)
    if (unreadable === undefined) return { kind: 'answered', answer }
    const error: ErrorData = { code: 'PayloadUnreadable', message: unreadable, path: request.path }
    return { kind: 'refused', refusal: { error } }
  } catch (thrown) {
    return judge(thrown, request)
  } finally {
    forget()
    leave()
  }
}

/** The server takes no longer ones. */
const longestId = 1000

/**
 * Which call it is: a replay that asks for another one in its place is noticed by the name alone, since nothing compares
 * what activities are given.
 */
function activityIdOf({ path, attempt }: CallRequest): { readonly activityId?: string } {
  const activityId = `${path}#${attempt}`
  return activityId.length > longestId ? {} : { activityId }
}

/** Such as `checks: Look at the host`. */
function summaryOf({ path, attempt }: CallRequest, index: PlanIndex): string {
  const name = index.ownerOf(path)?.step.name
  const whole = `${path}${name === undefined ? '' : `: ${name}`}${attempt === 1 ? '' : ` (attempt ${attempt})`}`
  return whole.length > 200 ? `${whole.slice(0, 199)}…` : whole
}

function judge(thrown: unknown, { path, action }: CallRequest): Made {
  const cause = thrown instanceof ActivityFailure ? thrown.cause : thrown
  if (cause instanceof TimeoutFailure) {
    return { kind: 'lost', why: 'nothing was heard of its worker any more', mayBeDone: true }
  }
  if (cause instanceof CancelledFailure) {
    const error: ErrorData = {
      code: 'Cancelled',
      message: 'cancelled before a worker had taken it',
      path,
      notSent: true,
    }
    return { kind: 'refused', refusal: { error } }
  }
  if (cause instanceof ApplicationFailure) {
    const [details] = (cause.details ?? []) as unknown[]
    if (cause.type === givenUp) {
      return {
        kind: 'lost',
        why: 'its worker was stopped',
        mayBeDone: (details as { mayBeDone?: boolean })?.mayBeDone === true,
      }
    }
    if (isRefusal(details)) return { kind: 'refused', refusal: details }
    if (cause.type === 'NotFoundError') {
      const message = `no worker has the action ${action}: its actions are others than those that the run was planned with`
      return { kind: 'refused', refusal: { error: { code: 'PlanDrift', message, path, notSent: true } } }
    }
  }
  // Such as an answer that the server did not take, being too large for it.
  const why = cause instanceof Error ? cause.message : String(cause)
  return { kind: 'lost', why, mayBeDone: true }
}

function isRefusal(details: unknown): details is AttemptRefusal {
  return typeof details === 'object' && details !== null && 'error' in details
}

function succeeded(
  answer: AttemptAnswer,
  startedAtMs: number,
  request: CallRequest,
  ports: AttemptPorts,
): Attempted & { readonly requestId?: string } {
  const { output, requestId, warnings, waitedMs } = answer
  const { path, attempt } = request
  tellLog(answer, request, ports)
  ports.report({
    type: 'attempt_succeeded',
    path,
    attempt,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(warnings === undefined || warnings.length === 0 ? {} : { warnings }),
  })
  return {
    status: 'succeeded',
    output,
    startedAtMs,
    endedAtMs: Date.now(),
    ...(waitedMs === undefined ? {} : { waitedMs }),
    ...(requestId === undefined ? {} : { requestId }),
  }
}

/** What the action said meanwhile, told afterwards. */
function tellLog(
  { logged = [] }: AttemptFacts,
  { path, attempt }: CallRequest,
  { report }: AttemptPorts,
): void {
  for (const line of logged) report({ type: 'logged', path, attempt, ...line })
}

function ended(error: ErrorData, startedAtMs: number): Attempted & { readonly status: 'failed' } {
  return { status: 'failed', error, startedAtMs, endedAtMs: Date.now() }
}

/** What is refused now may have been done by the worker that was lost. */
function withDoubt(error: ErrorData, safety: Safety): ErrorData {
  return safety !== 'idempotent' || isUnclear(error) ? error : { ...error, mayBeDone: true }
}
