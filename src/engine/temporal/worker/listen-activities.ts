import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { CallbackAddresses } from '../../../core/hooks/index.ts'
import { type CallbackSettings, callbackAddresses, noPublicUrl } from '../../record/index.ts'
import { ignoreMissing } from '../client/describe-run.ts'
import type { AttemptAnswer, AttemptOrder } from '../messages.ts'
import {
  type CallbacksOrder,
  eventStoreId,
  type ListenOrder,
  listenSignal,
  type TakenNotice,
  takenSignal,
} from '../received-events/listening.ts'
import { eventStoreType } from '../received-events/messages.ts'

/** The call of a step that has taken an event. */
export interface TakenOrder extends AttemptOrder {
  readonly taken: Pick<TakenNotice, 'hook' | 'id'>
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

/** Answers with the event that a step has taken, so that the history of its run holds it like any other call. */
export async function answerTaken(order: TakenOrder): Promise<AttemptAnswer> {
  const { request, taken, runId, taskQueue } = order
  const notice: TakenNotice = { ...taken, runId, path: request.path }
  await Context.current()
    .client.workflow.getHandle(eventStoreId(taskQueue))
    .signal(takenSignal, notice)
    .catch(ignoreMissing)
  return { output: request.taken ?? null }
}

/** Makes the addresses of callbacks. The history of the run keeps them, so that they stay the same. */
export function makeCallbacks(
  { runId, names }: CallbacksOrder,
  settings: CallbackSettings | undefined,
): CallbackAddresses {
  if (settings) return callbackAddresses(runId, names, settings)
  const reason = 'the worker has no public-url and callback-key under "serve" in its opsbook.yaml'
  const { code, message } = noPublicUrl(names[0] ?? '', reason)
  throw ApplicationFailure.nonRetryable(message, code)
}
