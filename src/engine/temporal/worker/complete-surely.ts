import { setTimeout as sleep } from 'node:timers/promises'
import { CompleteAsyncError, type Context } from '@temporalio/activity'
import { ActivityNotFoundError, type AsyncCompletionClient, WorkflowNotFoundError } from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import {
  type AttemptAnswer,
  type AttemptOrder,
  type AttemptRefusal,
  type LateAnswer,
  lateSignal,
} from '../messages.ts'

/** Between two tries, in milliseconds: the first pause, and the longest. */
const firstPauseMs = 100
const longestPauseMs = 2000
/** The longest outage that an answer outlives. */
const longestMs = 10 * 60_000

/**
 * Tells the server what an attempt came to until it has heard it. The SDK gives an answer up after ten seconds of an
 * outage, and what a write has done would be forgotten.
 */
export async function completeSurely(
  settled: Promise<AttemptAnswer>,
  context: Context,
  completion: AsyncCompletionClient,
  { request: { path, attempt }, handover }: AttemptOrder,
): Promise<never> {
  const { taskToken } = context.info
  const outcome = await settled.then(
    (answer) => ({ tell: () => completion.complete(taskToken, answer), late: { answer } }),
    (thrown: unknown) => ({ tell: () => completion.fail(taskToken, thrown), late: refusalIn(thrown) }),
  )
  let tell = outcome.tell
  const endMs = Date.now() + longestMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      await tell()
      break
    } catch (thrown) {
      // It has ended, and nobody waits for it any more.
      if (thrown instanceof WorkflowNotFoundError) break
      if (thrown instanceof ActivityNotFoundError) {
        // It was heard after all, or the server has given it up while it was away.
        const { late } = outcome
        if (!late) break
        tell = () => tellLate(context, { path, attempt, handover, ...late })
        continue
      }
      if (Date.now() > endMs) throw thrown
      await sleep(pauseMs)
    }
  }
  throw new CompleteAsyncError()
}

function tellLate({ client, info }: Context, late: LateAnswer): Promise<void> {
  const { workflowId = '', runId } = info.workflowExecution ?? {}
  return client.workflow.getHandle(workflowId, runId).signal(lateSignal, late)
}

function refusalIn(thrown: unknown): Pick<LateAnswer, 'refusal'> | undefined {
  const [details] = thrown instanceof ApplicationFailure ? (thrown.details ?? []) : []
  if (typeof details !== 'object' || details === null) return undefined
  if ('error' in details) return { refusal: details as AttemptRefusal }
  // The worker stops, and has sent nothing.
  const isUnsent = 'mayBeDone' in details && details.mayBeDone === false
  return isUnsent
    ? { refusal: { error: { code: 'Cancelled', message: 'not sent', notSent: true } } }
    : undefined
}
