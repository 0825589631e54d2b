import { setTimeout as sleep } from 'node:timers/promises'
import { CompleteAsyncError, type Context } from '@temporalio/activity'
import {
  ActivityNotFoundError,
  type AsyncCompletionOperationOptions,
  type Client,
  WorkflowNotFoundError,
} from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import {
  type AttemptAnswer,
  type AttemptHeartbeat,
  type AttemptNotice,
  type AttemptOrder,
  type AttemptRefusal,
  type attemptSignal,
  type LateAnswer,
  lateSignal,
} from '../messages.ts'

/** Between two tries, in milliseconds: the first pause, and the longest. */
const firstPauseMs = 100
const longestPauseMs = 2000
/** The longest outage that the answer of an attempt survives. */
const longestOutageMs = 10 * 60_000

/**
 * Reports the outcome of an attempt until the server has recorded it, for up to ten minutes. The SDK gives up after ten
 * seconds, and the outcome of a write would be lost.
 */
export async function completeReliably(
  settled: Promise<AttemptAnswer>,
  { info }: Pick<Context, 'info'>,
  client: Client,
  { request: { path, attempt }, handover }: AttemptOrder,
): Promise<never> {
  const { taskToken } = info
  const owner = ownedBy(info)
  const outcome = await settled.then(
    (answer) => ({ report: () => client.activity.complete(taskToken, answer, owner), late: { answer } }),
    (thrown: unknown) => ({
      report: () => client.activity.fail(taskToken, thrown, owner),
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
        report = () =>
          signalRun(
            { client, info },
            lateSignal,
            { path, attempt, handover, ...late },
            info.workflowExecution?.runId,
          )
        continue
      }
      if (Date.now() > endMs) throw thrown
      await sleep(pauseMs)
    }
  }
  throw new CompleteAsyncError()
}

/** A heartbeat that takes longer counts as failed, and does not arrive any more. */
export const longestBeatMs = 5000

/** Resolves when the server has the heartbeat. The worker would send it later, and report no failure. */
export function sendHeartbeat(
  { activity }: Client,
  { info }: Pick<Context, 'info'>,
  details: AttemptHeartbeat | undefined,
): Promise<void> {
  return activity.withDeadline(Date.now() + longestBeatMs, () =>
    activity.heartbeat(info.taskToken, details, ownedBy(info)),
  )
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

/** Signals the run of an attempt: `executionId`, or whichever of its executions is the last one. */
export function signalRun(
  { client, info }: Pick<Context, 'client' | 'info'>,
  signal: typeof attemptSignal | typeof lateSignal,
  notice: AttemptNotice | LateAnswer,
  executionId?: string,
): Promise<void> {
  const { workflowId = '' } = info.workflowExecution ?? {}
  return client.workflow.getHandle(workflowId, executionId).signal(signal, notice)
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
