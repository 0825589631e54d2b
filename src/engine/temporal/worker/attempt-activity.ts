import type { Context } from '@temporalio/activity'
import type { Client } from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import type { Action, RunSecrets } from '../../../actions/index.ts'
import { safetyOf } from '../../../core/action.ts'
import type { RunEvent } from '../../../core/events.ts'
import { type CancellationSource, createCancellation, type MadeAttempt } from '../../../core/host/index.ts'
import { withoutUndefined } from '../../../core/json.ts'
import { stepAddressOfCall } from '../../../core/plan/index.ts'
import { type Clock, makeAttempt, type OpenConnection, systemClock } from '../../attempt/index.ts'
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
import { createAttemptLines } from './attempt-lines.ts'
import { createWaitReporter, startPulse } from './attempt-pulse.ts'
import { openCallArtifacts } from './file-claims.ts'
import type { ResetGuard } from './reset-guard.ts'
import { completeReliably, sendHeartbeat } from './write-reports.ts'

/** What an attempt needs of its worker. */
export interface AttemptActivityPorts {
  /** The client of a connection, by the name that a step or a run gives. */
  readonly connect: OpenConnection
  /** Holds the files of all runs: a directory that all workers share. */
  readonly dataDir: string
  /** Sends what the worker itself would send out of order, or drop after 10 seconds. */
  readonly client: Client
  /** Asked before a create is sent. */
  readonly guard: ResetGuard
  /** Cancelled when the worker is to stop: the worker gives up what it has not sent yet. */
  readonly interrupt: CancellationSource
  /** @default the clock of the machine */
  readonly clock?: Clock
  readonly secretsOf: (runId: string, names: readonly string[], inputs?: readonly string[]) => RunSecrets
}

/** Makes one attempt. The activity fails with the failure of the attempt, so the web UI of the server shows it. */
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
  const logged = createAttemptLines(request, context)
  const clock = ports.clock ?? systemClock
  const waits = createWaitReporter(order, context, clock)
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
  const giveUp = (): void => cancellation.cancel({ code: 'Cancelled', message: 'cancelled' })
  const onAbort = (): void => {
    // The worker does not see the heartbeats of a create.
    if (safety !== 'create' || context.cancellationDetails?.timedOut !== true) giveUp()
  }
  context.cancellationSignal.addEventListener('abort', onAbort, { once: true })
  const pulse = startPulse({
    beat:
      safety === 'create' ? (details) => sendHeartbeat(ports.client, context, details) : context.heartbeat,
    giveUp,
    isUnwanted: () => cancellation.reason !== undefined || ports.interrupt.reason !== undefined,
    earlierMs: order.waitsSinceMs,
  })
  const onWaiting = (isWaiting: boolean): void => {
    if (isWaiting) return
    pulse.waitFor(undefined)
    waits.ends()
  }
  try {
    const artifacts = openCallArtifacts(
      ports.dataDir,
      { runId, changes: order.changes, namespace: context.info.namespace },
      stepAddressOfCall(request.path),
    )
    // The default connection of a run is one of the service.
    const connection = request.connection ?? (action.usesNoConnection ? undefined : order.connection)
    const asked = { ...request, ...(connection === undefined ? {} : { connection }) }
    const answered = await makeAttempt(
      { request: asked, action, safety },
      artifacts,
      { cancellation, onWaiting, past() {} },
      {
        ...ports,
        secrets: ports.secretsOf(runId, order.secretNames ?? [], order.sensitiveInputs),
        clock,
        report,
        async beforeSending(unsent) {
          await ports.guard(order, context.info)
          await pulse.announce(unsent)
        },
      },
    )
    const settled = settle(answered, await logged.end(), ports, pulse.hasWaitedTooLong())
    if (safety === 'read') return await settled
    return await completeReliably(settled, context, ports.client, order)
  } finally {
    pulse.stop()
    void logged.end()
    context.cancellationSignal.removeEventListener('abort', onAbort)
  }
}

async function settle(
  { result, requestId, warnings, waitedMs }: MadeAttempt,
  logged: readonly LoggedLine[],
  { interrupt }: Pick<AttemptActivityPorts, 'interrupt'>,
  hasWaitedTooLong: boolean,
): Promise<AttemptAnswer> {
  const facts: AttemptFacts = {
    ...withoutUndefined({ requestId, warnings, waitedMs }),
    ...(logged.length === 0 ? {} : { logged }),
  }
  if (result.status === 'succeeded') return { output: result.output, ...facts }
  const { error } = result
  if (hasWaitedTooLong && error.code === 'Cancelled' && error.notSent)
    throw failure(waitedTooLong, 'the attempt waited for too long', {})
  if (interrupt.reason && error.code === 'Cancelled')
    throw failure(givenUp, 'the worker stops', { mayHaveExecuted: error.notSent !== true })
  const refusal: AttemptRefusal = { error, ...facts }
  throw failure(error.code, error.message, refusal)
}

function unreadableOrder(message: string): ApplicationFailure {
  const refusal: AttemptRefusal = { error: { code: 'PayloadUnreadable', message, notSent: true } }
  return failure('PayloadUnreadable', message, refusal)
}

/** An expected failure, which the interpreter judges: the worker does not log it as an error. */
function failure(type: string, message: string, details: object): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message,
    details: [details],
    nonRetryable: true,
    category: 'BENIGN',
  })
}
