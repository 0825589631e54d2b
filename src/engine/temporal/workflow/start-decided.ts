import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import {
  type ChildWorkflowOptions,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow'
import type { EventDecision } from '../../../core/triggers/event-record.ts'
import {
  type ConcurrencyOrder,
  concurrencyLockType,
  type KeptRun,
  type LockMemo,
  replaceSignal,
} from '../concurrency/messages.ts'
import { runTypeOf } from '../run-type.ts'

/** Why a run that was to be started is not. */
export type NotStarted = Pick<EventDecision, 'because' | 'message' | 'run_id'>

/** How often a lock workflow may end in the moment in which it is spoken to. */
const mostTries = 10

/** Starts a run that nobody waits for. Answers with why it did not, where others were faster. */
export async function startDecided(
  kept: KeptRun,
  alone: ConcurrencyOrder | undefined,
): Promise<NotStarted | undefined> {
  const { start, listed } = kept
  const { runId, plan } = start
  if (!alone) {
    const isStarted = await startOnce(runTypeOf(plan.name), runId, start, {
      ...listed,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    })
    // Of the same key, and forgotten since.
    return isStarted
      ? undefined
      : { because: 'duplicate', message: `${runId} is there already`, run_id: runId }
  }
  const { key, lockId, running } = alone
  const memo: LockMemo = { runId }
  for (let tries = 0; tries < mostTries; tries++) {
    const isStarted = await startOnce(concurrencyLockType, lockId, kept, {
      memo: { ...memo },
      staticSummary: `one run of ${plan.name} at a time`,
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    })
    if (isStarted) return undefined
    if (plan.concurrency?.onConflict !== 'replace') break
    const lock = getExternalWorkflowHandle(lockId)
    const isTold = await lock.signal<[KeptRun]>(replaceSignal, kept).then(
      () => true,
      () => false,
    )
    if (isTold) return undefined
  }
  const message = `a run for the concurrency key ${JSON.stringify(key)} goes on`
  return { because: 'concurrency', message, ...(running === undefined ? {} : { run_id: running }) }
}

type AnyWorkflow = (input: object) => Promise<unknown>

/** Whether its id was free. */
async function startOnce(
  type: string,
  workflowId: string,
  input: object,
  options: Omit<ChildWorkflowOptions, 'workflowId'>,
): Promise<boolean> {
  try {
    await startChild<AnyWorkflow>(type, {
      ...options,
      workflowId,
      args: [input],
      parentClosePolicy: ParentClosePolicy.ABANDON,
    })
    return true
  } catch (thrown) {
    if (thrown instanceof WorkflowExecutionAlreadyStartedError) return false
    throw thrown
  }
}
