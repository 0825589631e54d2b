import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '@temporalio/activity'
import {
  ActivityCancelledError,
  ActivityNotFoundError,
  ActivityPausedError,
  ActivityResetError,
  type AsyncCompletionClient,
  WorkflowNotFoundError,
} from '@temporalio/client'
import type { Cancellation } from '../../../core/cancellation.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { type AttemptOrder, type SendingNotice, sendingSignal } from '../messages.ts'

const firstPauseMs = 100
const longestPauseMs = 2000

/**
 * Resolves when the workflow of the run has it on record that the request of this create is about to leave. Rejects with
 * `Cancelled` and `notSent` where the attempt is not this worker's any more; the request must not be sent then.
 *
 * The heartbeat comes after the record: an activity that still takes it had not timed out by then. So a time-out always
 * finds the record before it in the history. An outage of the server is waited out.
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
      await completion.heartbeat(info.taskToken)
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
  return new RunbookError('Cancelled', 'the attempt was taken back before anything was sent', {
    cause,
    notSent: true,
  })
}
