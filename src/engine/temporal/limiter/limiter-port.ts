import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Client,
  WithStartWorkflowOperation,
  type WorkflowHandle,
  WorkflowIdConflictPolicy,
  WorkflowNotFoundError,
} from '@temporalio/client'
import type { Workflow } from '@temporalio/common'

/** Talks to one limiter, and starts it where there is none. */
export interface LimiterPort {
  /** Resolves with the answer of an update, however long the server is away. */
  ask<Answer>(update: string, order: object, signal: AbortSignal): Promise<Answer>
  /** Resolves when the limiter is certain to hear it. */
  tell(signalName: string, order: object): Promise<void>
}

/** Which limiter. */
export interface LimiterPlace {
  readonly client: Client
  /** Its workers carry the limiter out. */
  readonly taskQueue: string
  readonly workflowType: string
  readonly workflowId: string
}

const firstPauseMs = 50
const longestPauseMs = 2000
/** A question without an answer for this long is asked again: its worker, or the server, may be gone. */
const answerMs = 5000

export function createLimiterPort({
  client,
  taskQueue,
  workflowType,
  workflowId,
}: LimiterPlace): LimiterPort {
  let handle: WorkflowHandle | undefined
  const askOnce = async <Answer>(update: string, order: object): Promise<Answer> => {
    if (handle) return handle.executeUpdate<Answer, [object]>(update, { args: [order] })
    const startWorkflowOperation = new WithStartWorkflowOperation<Workflow>(workflowType, {
      workflowId,
      taskQueue,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      staticSummary: `limits of ${workflowId}`,
    })
    const answer = await client.workflow.executeUpdateWithStart<Workflow, Answer, [object]>(update, {
      args: [order],
      startWorkflowOperation,
    })
    handle = client.workflow.getHandle(workflowId)
    return answer
  }
  return {
    async ask<Answer>(update: string, order: object, signal: AbortSignal): Promise<Answer> {
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
        try {
          return await client.withDeadline(Date.now() + answerMs, () => askOnce<Answer>(update, order))
        } catch (thrown) {
          if (signal.aborted) throw thrown
          // It has ended in the meantime, or the server is away: nothing was promised to anybody.
          if (thrown instanceof WorkflowNotFoundError) handle = undefined
          await sleep(pauseMs, undefined, { signal })
        }
      }
    },
    async tell(signalName, order) {
      await client.withDeadline(Date.now() + answerMs, () =>
        client.workflow.signalWithStart(workflowType, {
          workflowId,
          taskQueue,
          signal: signalName,
          signalArgs: [order],
        }),
      )
    },
  }
}
