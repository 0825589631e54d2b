import {
  ActivityCancellationType,
  ActivityFailure,
  CancellationScope,
  scheduleActivity,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow'
import type { Safety } from '../../../core/action.ts'
import type { CallContext, CallRequest } from '../../../core/host.ts'
import type { PlanIndex } from '../../../core/record/plan-index.ts'
import { secretNames } from '../../../core/record/secret-names.ts'
import { sensitiveInputs } from '../../../core/record/sensitive-inputs.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { mostAttemptMs } from '../attempt-times.ts'
import { whyUnreadable } from '../codec/unreadable.ts'
import type { AttemptAnswer, AttemptOrder, LateAnswer, RunStart } from '../messages.ts'
import type { AttemptPorts } from './attempt-ports.ts'
import { judgeActivity, type Made } from './judge-activity.ts'

/** A worker counts as lost when it was silent for this long. */
const heartbeatTimeout = '10 seconds'
/** How long the answer of a worker is waited for that was lost in the middle of a create. */
const lostCreateMs = 120_000
/** How much longer than the attempt itself that wait lasts at least. */
const answerMarginMs = 30_000

/** What workers hide in the answers of a run. It takes a walk over the plan and all inputs: once for each run. */
export function hiddenIn({ plan, inputs }: RunStart): AttemptPorts['hidden'] {
  const names = secretNames(plan)
  const sensitive = sensitiveInputs(plan.inputs, inputs)
  return {
    ...(names.length === 0 ? {} : { secretNames: names }),
    ...(sensitive.length === 0 ? {} : { sensitiveInputs: sensitive }),
  }
}

/**
 * Gives an attempt to a worker, as one activity. It ends with what the worker says of it, also when it is cancelled.
 * `given`: how many workers had it before, and since when it waits where it was scheduled before.
 */
export async function scheduleAttempt(
  request: CallRequest,
  safety: Safety,
  given: Pick<AttemptOrder, 'handover' | 'waitsSinceMs'>,
  context: CallContext,
  { start, hidden, index, waits, sent }: AttemptPorts,
): Promise<Made> {
  const { runId, actionQueue, connection, lostCreateWaitMs = lostCreateMs } = start
  const order: AttemptOrder = {
    runId,
    executionId: workflowInfo().runId,
    request,
    safety,
    ...given,
    ...hidden,
    tellsWaitsFromMs: waits.tellsFromMs(),
    ...(connection === undefined ? {} : { connection }),
    ...(start.carried?.amended ? { amendment: start.carried.amended.number } : {}),
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
        startToCloseTimeout: mostAttemptMs(request),
        heartbeatTimeout,
        retry: { maximumAttempts: 1 },
        cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
      }),
    )
    const unreadable = whyUnreadable(answer)
    if (unreadable === undefined) return { kind: 'answered', answer }
    const error: ErrorData = { code: 'PayloadUnreadable', message: unreadable, path: request.path }
    return { kind: 'refused', refusal: { error } }
  } catch (thrown) {
    const made = orLost(judgeActivity(thrown, request), context)
    if (made.kind !== 'lost' || safety !== 'create') return made
    if (!sent.mayBeSent(order)) return { ...made, mayBeDone: false }
    if (!isTimeout(thrown)) return made
    const leastMs = (request.attemptTimeoutMs ?? 0) + answerMarginMs
    const lost = { ...made, why: 'its worker was lost after it had announced the request' }
    const late = await sent.waitForAnswer(order, Math.max(lostCreateWaitMs, leastMs))
    return orLost(settleLate(lost, late), context)
  } finally {
    forget()
    leave()
  }
}

function isTimeout(thrown: unknown): boolean {
  return thrown instanceof ActivityFailure && thrown.cause instanceof TimeoutFailure
}

/** What its worker gave up before anything was sent, though the run still wants it, is for another worker. */
function orLost(made: Made, { cancellation }: CallContext): Made {
  const isGivenUp =
    made.kind === 'refused' && made.refusal.error.code === 'Cancelled' && made.refusal.error.notSent === true
  if (!isGivenUp || cancellation.reason) return made
  return { kind: 'lost', why: 'its worker gave it up before it was sent', mayBeDone: false }
}

function settleLate(made: Made, { answer, refusal }: Partial<LateAnswer> = {}): Made {
  if (answer) return { kind: 'answered', answer }
  return refusal ? { kind: 'refused', refusal } : made
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
