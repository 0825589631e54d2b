import {
  ActivityCancellationType,
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  scheduleActivity,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow'
import type { CallContext, CallRequest, Cancellation, PreparedCall } from '../../../../core/host/index.ts'
import { secretNames } from '../../../../core/plan/index.ts'
import { type PlanIndex, sensitiveInputs } from '../../../../core/record/index.ts'
import type { ErrorData } from '../../../../core/run-error.ts'
import { heartbeatTimeoutMs, mostAttemptMs } from '../../attempt-times.ts'
import { whyUnreadable } from '../../codec/unreadable.ts'
import {
  type AttemptAnswer,
  type AttemptOrder,
  type AttemptRefusal,
  attemptKey,
  givenUp,
  isAnnouncement,
  isGivenUp,
  type LateAnswer,
  type RunStart,
  waitedTooLong,
} from '../../messages.ts'
import type { AttemptSignals } from './attempt-signals.ts'

/** What scheduling attempts needs. */
export interface SchedulePorts {
  readonly start: RunStart
  readonly index: PlanIndex
  readonly signals: AttemptSignals
  /** The sensitive inputs of child runbooks, as far as the run has reached them. */
  readonly childInputs: ReadonlySet<string>
}

/** How long the run waits for the answer of a worker that was lost during a create. */
const lostCreateMs = 120_000
/** The wait is at least this much longer than the attempt itself. */
const answerMarginMs = 30_000

/**
 * Schedules an attempt as one activity. Resolves with the result that the worker reports, also after a cancellation.
 * `handover`: how many workers had it before. `waitsSinceMs`: since when it waits, if it was scheduled before.
 */
export type ScheduleAttempt = (
  call: PreparedCall,
  handover: number,
  waitsSinceMs: number | undefined,
  context: CallContext,
) => Promise<Made>

/** Uses few promises: each one costs time in the isolate of a workflow. */
export function createScheduler({ start, index, signals, childInputs }: SchedulePorts): ScheduleAttempt {
  const { actionQueue, lostCreateWaitMs = lostCreateMs } = start
  const ofRun = orderParts(start)
  const scopeOf = createScopes()
  const { reset, decisions = [], executions = [] } = start.continued ?? {}
  const decided = new Set(decisions.slice(reset?.decisionsBefore).map(({ path }) => path))
  const known = reset && { of: reset.of, executions: executions.map(({ runId }) => runId) }
  return ({ request, safety }, handover, waitsSinceMs, context) => {
    const order: AttemptOrder & { sensitiveInputs?: readonly string[] } = {
      request,
      safety,
      handover,
      reportsWaitsFromMs: signals.reportsFromMs(),
      ...ofRun,
      ...(waitsSinceMs === undefined ? {} : { waitsSinceMs }),
      ...(known && !decided.has(request.path) ? { reset: known } : {}),
    }
    if (childInputs.size > 0) order.sensitiveInputs = [...(ofRun.sensitiveInputs ?? []), ...childInputs]
    const options: ActivityOptions = {
      taskQueue: actionQueue,
      summary: summaryOf(request, index),
      startToCloseTimeout: mostAttemptMs(request),
      heartbeatTimeout: heartbeatTimeoutMs,
      retry: { maximumAttempts: 1 },
      cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    }
    const activityId = attemptKey(request)
    // The SDK compares only this id when it replays another call in its place, and not the arguments.
    if (activityId.length <= longestId) options.activityId = activityId
    const leave = signals.listen(request, context)
    const settle = async (thrown: unknown): Promise<Made> => {
      const made = orLost(judgeActivity(thrown, order), context)
      if (!(isTimeout(thrown) && made.kind === 'lost' && safety === 'create' && made.mayHaveExecuted))
        return made
      const leastMs = (request.attemptTimeoutMs ?? 0) + answerMarginMs
      const lost = { ...made, why: 'its worker was lost after it had announced the request' }
      const answer = await signals.lateAnswer(order, Math.max(lostCreateWaitMs, leastMs))
      return orLost(settleLate(lost, answer), context)
    }
    return scopeOf(context.cancellation)
      .run(() => scheduleActivity<AttemptAnswer>(request.action, [order], options))
      .then(
        (answer) => {
          leave()
          return readAnswer(answer, request)
        },
        (thrown: unknown) => settle(thrown).finally(leave),
      )
  }
}

/** The common part of all orders. Computed once: finding sensitive inputs takes a walk over all inputs. */
function orderParts({
  runId,
  plan,
  inputs,
  connection,
  continued,
}: RunStart): Omit<AttemptOrder, 'request' | 'safety' | 'handover' | 'reportsWaitsFromMs'> {
  const names = secretNames(plan)
  const sensitive = sensitiveInputs(plan.inputs, inputs)
  return {
    runId,
    executionId: workflowInfo().runId,
    ...(names.length === 0 ? {} : { secretNames: names }),
    ...(sensitive.length === 0 ? {} : { sensitiveInputs: sensitive }),
    ...(connection === undefined ? {} : { connection }),
    ...(continued?.changed ? { changes: continued.changed.number } : {}),
  }
}

/** One scope for all attempts that are cancelled together: each scope costs several promises. */
function createScopes(): (cancellation: Cancellation) => CancellationScope {
  const parent = CancellationScope.current()
  const scopes = new WeakMap<Cancellation, CancellationScope>()
  return (cancellation) => {
    const known = scopes.get(cancellation)
    if (known) return known
    const scope = new CancellationScope({ cancellable: true, parent })
    scopes.set(cancellation, scope)
    cancellation.onCancel(() => scope.cancel())
    return scope
  }
}

function readAnswer(answer: AttemptAnswer, { path }: CallRequest): Made {
  const unreadable = whyUnreadable(answer)
  if (unreadable === undefined) return { kind: 'answered', answer }
  return { kind: 'refused', refusal: { error: { code: 'PayloadUnreadable', message: unreadable, path } } }
}

function isTimeout(thrown: unknown): boolean {
  return thrown instanceof ActivityFailure && thrown.cause instanceof TimeoutFailure
}

/** An attempt that its worker gave up before sending, and that the run still needs, goes to another worker. */
function orLost(made: Made, { cancellation }: CallContext): Made {
  if (made.kind !== 'refused' || !isGivenUp(made.refusal) || cancellation.reason) return made
  return { kind: 'lost', why: 'its worker gave it up before it was sent', mayHaveExecuted: false }
}

function settleLate(made: Made, { answer, refusal }: Partial<LateAnswer> = {}): Made {
  if (answer) return { kind: 'answered', answer }
  return refusal ? { kind: 'refused', refusal } : made
}

/** The server takes no longer ones. */
const longestId = 1000

/** Such as `checks: Look at the host`. */
function summaryOf({ path, attempt }: CallRequest, index: PlanIndex): string {
  const name = index.ownerOf(path)?.step.name
  const whole = `${path}${name === undefined ? '' : `: ${name}`}${attempt === 1 ? '' : ` (attempt ${attempt})`}`
  return whole.length > 200 ? `${whole.slice(0, 199)}…` : whole
}

/** The result of one attempt. */
export type Made =
  | { readonly kind: 'answered'; readonly answer: AttemptAnswer }
  | { readonly kind: 'refused'; readonly refusal: AttemptRefusal }
  /** Its worker was lost, or stops (`isStopped`). `mayHaveExecuted`: it may have sent the request. */
  | {
      readonly kind: 'lost'
      readonly why: string
      readonly mayHaveExecuted: boolean
      readonly isStopped?: true
    }
  /** It has waited too long, and is scheduled again; nothing was sent. */
  | { readonly kind: 'waited' }

/** The result of an attempt whose activity has failed. */
function judgeActivity(thrown: unknown, { request: { path, action }, safety }: AttemptOrder): Made {
  const cause = thrown instanceof ActivityFailure ? thrown.cause : thrown
  if (cause instanceof TimeoutFailure) {
    // The worker of a create announces its request first.
    const mayHaveExecuted = safety !== 'create' || isAnnouncement(cause.lastHeartbeatDetails)
    return { kind: 'lost', why: 'the heartbeats of its worker stopped', mayHaveExecuted }
  }
  if (cause instanceof CancelledFailure) {
    const error: ErrorData = {
      code: 'Cancelled',
      message: 'cancelled before a worker took it',
      path,
      notSent: true,
    }
    return { kind: 'refused', refusal: { error } }
  }
  if (cause instanceof ApplicationFailure) {
    const [details] = (cause.details ?? []) as unknown[]
    if (cause.type === waitedTooLong) return { kind: 'waited' }
    if (cause.type === givenUp) {
      return {
        kind: 'lost',
        why: 'its worker was stopped',
        mayHaveExecuted: (details as { mayHaveExecuted?: boolean })?.mayHaveExecuted === true,
        isStopped: true,
      }
    }
    if (isRefusal(details)) return { kind: 'refused', refusal: details }
    if (cause.type === 'NotFoundError') {
      const message = `no worker has the action ${action}: its actions are others than those that the run was planned with`
      return { kind: 'refused', refusal: { error: { code: 'PlanDrift', message, path, notSent: true } } }
    }
  }
  // For example, the answer was too large for the server.
  const why = cause instanceof Error ? cause.message : String(cause)
  return { kind: 'lost', why, mayHaveExecuted: true }
}

function isRefusal(details: unknown): details is AttemptRefusal {
  return typeof details === 'object' && details !== null && 'error' in details
}
