import { Context } from '@temporalio/activity'
import { WorkflowNotFoundError } from '@temporalio/client'
import {
  eventStoreId,
  type HeardNotice,
  heardSignal,
  type ListenOrder,
  listenSignal,
} from '../events/listening.ts'
import { eventStoreType } from '../events/messages.ts'
import type { AttemptAnswer, AttemptOrder } from '../messages.ts'

/** The call of a step that has heard an event. */
export interface HeardOrder extends AttemptOrder {
  readonly heard: Pick<HeardNotice, 'hook' | 'id'>
  /** Task queue of the event store. */
  readonly taskQueue: string
}

/** Registers a run at the event store of its task queue, which is started if it is missing. */
export async function registerListener(order: ListenOrder): Promise<void> {
  await Context.current().client.workflow.signalWithStart(eventStoreType, {
    workflowId: eventStoreId(order.taskQueue),
    taskQueue: order.taskQueue,
    signal: listenSignal,
    signalArgs: [order],
    staticSummary: 'events, and what they start',
  })
}

/** Answers with the event that a step has heard, so that the history of its run holds it like any other call. */
export async function answerHeard(order: HeardOrder): Promise<AttemptAnswer> {
  const { request, heard, runId, taskQueue } = order
  const notice: HeardNotice = { ...heard, runId, path: request.path }
  await Context.current()
    .client.workflow.getHandle(eventStoreId(taskQueue))
    .signal(heardSignal, notice)
    .catch((thrown: unknown) => {
      if (!(thrown instanceof WorkflowNotFoundError)) throw thrown
    })
  return { output: request.heard ?? null }
}
