import {
  ActivityCancellationType,
  ActivityFailure,
  CancellationScope,
  scheduleActivity,
  TimeoutFailure,
} from '@temporalio/workflow'
import type { Safety } from '../../../core/action.ts'
import type { CallContext, CallRequest } from '../../../core/host.ts'
import type { PlanIndex } from '../../../core/record/plan-index.ts'
import { secretNames } from '../../../core/record/secret-names.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { whyUnreadable } from '../codec/unreadable.ts'
import type { AttemptAnswer, AttemptOrder, LateAnswer } from '../messages.ts'
import type { AttemptPorts } from './attempt-ports.ts'
import { judgeActivity, type Made } from './judge-activity.ts'

/** How long an attempt of a create may be out of touch with the server before its worker counts as lost. */
const createHeartbeat = '2 minutes'
/** The same of anything else, which is simply made again. */
const otherHeartbeat = '10 seconds'
/** Waiting for the rate limit is a part of an attempt: some windows are a day. */
const longest = '3 days'
/** Makes an attempt, as one activity. It ends with what the worker says of it, also when it is cancelled. */
export async function scheduleAttempt(
  request: CallRequest,
  safety: Safety,
  context: CallContext,
  { start, index, waits, late }: AttemptPorts,
): Promise<Made> {
  const { runId, actionQueue, connection, createHeartbeatMs = createHeartbeat } = start
  const names = secretNames(start.plan)
  const order: AttemptOrder = {
    runId,
    request,
    safety,
    ...(names.length === 0 ? {} : { secretNames: names }),
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
    const made = judgeActivity(thrown, request)
    const mayBeLate = safety === 'create' && start.hearsLate === true && isTimeout(thrown)
    return mayBeLate ? settleLate(made, await late.hear(request)) : made
  } finally {
    forget()
    leave()
  }
}

function isTimeout(thrown: unknown): boolean {
  return thrown instanceof ActivityFailure && thrown.cause instanceof TimeoutFailure
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
