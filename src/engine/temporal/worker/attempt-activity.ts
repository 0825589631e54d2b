import type { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { Action } from '../../../actions/action.ts'
import type { RunSecrets } from '../../../actions/run-secrets.ts'
import { createCancellation } from '../../../core/cancellation.ts'
import type { RunEvent } from '../../../core/events.ts'
import { placeOfCall } from '../../../core/record/place-of-call.ts'
import { safetyOf } from '../../../core/safety.ts'
import { systemClock } from '../../attempt/clock.ts'
import { type Answered, makeAttempt } from '../../attempt/make-attempt.ts'
import type { StopSignals } from '../../attempt/stop-signals.ts'
import { whyUnreadable } from '../codec/unreadable.ts'
import {
  type AttemptAnswer,
  type AttemptFacts,
  type AttemptOrder,
  type AttemptRefusal,
  givenUp,
  type LoggedLine,
  waitedTooLong,
} from '../messages.ts'
import { announceSending } from './announce-sending.ts'
import { startPulse } from './attempt-pulse.ts'
import { createBoundedLog } from './bounded-log.ts'
import { completeSurely } from './complete-surely.ts'
import type { ActivityOptions } from './create-activities.ts'
import { openCallArtifacts } from './file-claims.ts'
import { createWaitTeller } from './tell-waits.ts'

/** What an attempt works with. */
export interface AttemptActivityPorts
  extends Pick<ActivityOptions, 'connect' | 'dataDir' | 'completion' | 'interrupt' | 'clock'> {
  readonly stops: StopSignals
  readonly secretsOf: (runId: string, names: readonly string[], inputs?: readonly string[]) => RunSecrets
}

/** Makes one attempt. Its failure is the failure of the activity: the server's own pages show it as what it is. */
export async function attemptActivity(
  action: Action,
  order: AttemptOrder,
  context: Context,
  ports: AttemptActivityPorts,
): Promise<AttemptAnswer> {
  const why = whyUnreadable(order)
  if (why !== undefined) throw unreadableOrder(why)
  const { request, runId } = order
  const safety = safetyOf(action, request.input)
  const logged = createBoundedLog()
  const clock = ports.clock ?? systemClock
  const waits = createWaitTeller(order, context, clock)
  const report = (event: RunEvent): void => {
    if (event.type === 'logged') {
      const { level, message, data } = event
      logged.add({ level, message, ...(data === undefined ? {} : { data }) })
    } else if (event.type === 'waiting') {
      const { reason, until } = event
      if (reason === 'budget' || reason === 'throttle' || reason === 'target')
        pulse.waitFor({ reason, ...(until === undefined ? {} : { untilMs: until }) })
      if (reason === 'budget' || reason === 'target')
        waits.begins({ reason, ...(until === undefined ? {} : { until }) })
    }
  }
  const cancellation = createCancellation()
  const onAbort = (): void => cancellation.cancel({ code: 'Cancelled', message: 'cancelled' })
  context.cancellationSignal.addEventListener('abort', onAbort, { once: true })
  const pulse = startPulse(context, onAbort, order.waitsSinceMs)
  const onWaiting = (isWaiting: boolean): void => {
    if (isWaiting) return
    pulse.waitFor(undefined)
    waits.ends()
  }
  try {
    const artifacts = openCallArtifacts(
      ports.dataDir,
      { runId, amendment: order.amendment, namespace: context.info.namespace },
      placeOfCall(request.path),
    )
    const connected = { ...request, connection: request.connection ?? order.connection }
    const { connection: _, ...unconnected } = connected
    const asked =
      connected.connection === undefined ? unconnected : { ...unconnected, connection: connected.connection }
    const answered = await makeAttempt(
      { request: asked, action, safety },
      artifacts,
      { cancellation, onWaiting, past() {} },
      {
        ...ports,
        secrets: ports.secretsOf(runId, order.secretNames ?? [], order.sensitiveInputs),
        connect: async (name) => ports.connect(name),
        clock,
        report,
        beforeSending: () =>
          announceSending(order, context, ports.completion, [cancellation, ports.interrupt]),
      },
    )
    const settled = settle(answered, logged.lines(), ports, pulse.hasWaitedTooLong)
    if (safety === 'read') return await settled
    return await completeSurely(settled, context, ports.completion, order)
  } finally {
    pulse.stop()
    context.cancellationSignal.removeEventListener('abort', onAbort)
  }
}

async function settle(
  { result, requestId, warnings, waitedMs }: Answered,
  logged: readonly LoggedLine[],
  { interrupt }: Pick<AttemptActivityPorts, 'interrupt'>,
  hasWaitedTooLong: boolean,
): Promise<AttemptAnswer> {
  const facts: AttemptFacts = {
    ...(requestId === undefined ? {} : { requestId }),
    ...(warnings === undefined ? {} : { warnings }),
    ...(waitedMs === undefined ? {} : { waitedMs }),
    ...(logged.length === 0 ? {} : { logged }),
  }
  if (result.status === 'succeeded') return { output: result.output, ...facts }
  const { error } = result
  if (hasWaitedTooLong && error.code === 'Cancelled' && error.notSent) {
    throw failure(waitedTooLong, 'it waited for too long', {})
  }
  if (interrupt.reason && error.code === 'Cancelled') {
    throw failure(givenUp, 'the worker stops', { mayBeDone: error.notSent !== true })
  }
  const refusal: AttemptRefusal = { error, ...facts }
  throw failure(error.code, error.message, refusal)
}

function unreadableOrder(message: string): ApplicationFailure {
  const refusal: AttemptRefusal = { error: { code: 'PayloadUnreadable', message, notSent: true } }
  return failure('PayloadUnreadable', message, refusal)
}

/** Expected, and for the interpreter to judge: nothing that the log of a worker has to shout about. */
function failure(type: string, message: string, details: object): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message,
    details: [details],
    nonRetryable: true,
    category: 'BENIGN',
  })
}
