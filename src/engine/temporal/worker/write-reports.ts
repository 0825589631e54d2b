import { setTimeout as sleep } from 'node:timers/promises'
import { CompleteAsyncError, type Context } from '@temporalio/activity'
import {
  ActivityCancelledError,
  ActivityNotFoundError,
  ActivityPausedError,
  ActivityResetError,
  type AsyncCompletionClient,
  type AsyncCompletionOperationOptions,
  WorkflowNotFoundError,
} from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import type { Cancellation } from '../../../core/host/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import {
  type AttemptAnswer,
  type AttemptOrder,
  type AttemptRefusal,
  type LateAnswer,
  lateSignal,
  type SendingNotice,
  sendingSignal,
} from '../messages.ts'

/** Between two tries, in milliseconds: the first pause, and the longest. */
const firstPauseMs = 100
const longestPauseMs = 2000
/** The longest outage that the answer of an attempt survives. */
const longestOutageMs = 10 * 60_000

/**
 * Resolves when the history of the run holds that the request of this create is about to be sent. Rejects with
 * `Cancelled` and `notSent` when the attempt was taken from this worker; then the request must not be sent. Retries
 * during an outage of the server.
 *
 * The heartbeat follows the record. When the server accepts it, the activity has not timed out: so a time-out always
 * finds the record before it in the history.
 */
export async function announceSending(
  { request: { path, attempt, action }, handover, executionId }: AttemptOrder,
  { client, info }: Pick<Context, 'client' | 'info'>,
  completion: Pick<AsyncCompletionClient, 'heartbeat'>,
  unwanted: readonly Cancellation[],
): Promise<void> {
  const notice: SendingNotice = { path, attempt, handover }
  const { workflowId = '', runId } = info.workflowExecution ?? {}
  if (runId !== undefined && runId !== executionId) {
    const message = `${action} may have been sent by an execution that was reset`
    throw new RunbookError('OutcomeUnknown', message)
  }
  let isRecorded = false

  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    if (unwanted.some(({ reason }) => reason !== undefined)) throw notWanted()
    try {
      if (!isRecorded) await client.workflow.getHandle(workflowId, runId).signal(sendingSignal, notice)
      isRecorded = true
      await completion.heartbeat(info.taskToken, undefined, ownedBy(info))
      return
    } catch (thrown) {
      if (endings.some((ending) => thrown instanceof ending)) throw notWanted(thrown)
      await sleep(pauseMs)
    }
  }
}

const endings = [
  ActivityCancelledError,
  ActivityNotFoundError,
  ActivityPausedError,
  ActivityResetError,
  WorkflowNotFoundError,
]

function notWanted(cause?: unknown): RunbookError {
  return new RunbookError('Cancelled', 'the attempt was taken back before its request was sent', {
    cause,
    notSent: true,
  })
}

/**
 * Reports the outcome of an attempt until the server has recorded it, for up to ten minutes. The SDK gives up after ten
 * seconds, and the outcome of a write would be lost.
 */
export async function completeReliably(
  settled: Promise<AttemptAnswer>,
  context: Context,
  completion: AsyncCompletionClient,
  { request: { path, attempt }, handover }: AttemptOrder,
): Promise<never> {
  const { taskToken } = context.info
  const owner = ownedBy(context.info)
  const outcome = await settled.then(
    (answer) => ({ report: () => completion.complete(taskToken, answer, owner), late: { answer } }),
    (thrown: unknown) => ({
      report: () => completion.fail(taskToken, thrown, owner),
      late: refusalIn(thrown),
    }),
  )
  let report = outcome.report
  const endMs = Date.now() + longestOutageMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      await report()
      break
    } catch (thrown) {
      // The run has ended.
      if (thrown instanceof WorkflowNotFoundError) break
      if (thrown instanceof ActivityNotFoundError) {
        // An earlier try has arrived, or the activity has timed out during the outage.
        const { late } = outcome
        if (!late) break
        report = () => reportLate(context, { path, attempt, handover, ...late })
        continue
      }
      if (Date.now() > endMs) throw thrown
      await sleep(pauseMs)
    }
  }
  throw new CompleteAsyncError()
}

/** Without it, the payloads of a report would belong to no run. */
function ownedBy({
  namespace,
  activityId,
  workflowExecution,
  isLocal,
}: Context['info']): AsyncCompletionOperationOptions {
  const { workflowId } = workflowExecution ?? {}
  return {
    serializationContext: {
      type: 'activity',
      namespace,
      activityId,
      isLocal,
      ...(workflowId === undefined ? {} : { workflowId }),
    },
  }
}

function reportLate({ client, info }: Context, late: LateAnswer): Promise<void> {
  const { workflowId = '', runId } = info.workflowExecution ?? {}
  return client.workflow.getHandle(workflowId, runId).signal(lateSignal, late)
}

function refusalIn(thrown: unknown): Pick<LateAnswer, 'refusal'> | undefined {
  const [details] = thrown instanceof ApplicationFailure ? (thrown.details ?? []) : []
  if (typeof details !== 'object' || details === null) return undefined
  if ('error' in details) return { refusal: details as AttemptRefusal }
  // The worker stops, and has sent nothing.
  const isUnsent = 'mayHaveExecuted' in details && details.mayHaveExecuted === false
  return isUnsent
    ? { refusal: { error: { code: 'Cancelled', message: 'not sent', notSent: true } } }
    : undefined
}
