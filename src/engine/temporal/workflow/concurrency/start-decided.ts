import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import {
  type ChildWorkflowOptions,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  sleep,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow'
import type { EventDecision } from '../../../../core/triggers/index.ts'
import {
  type ConcurrencyOrder,
  concurrencyLockType,
  type KeptRun,
  type LockMemo,
  lockIdsIn,
  lockSummary,
  replaceSignal,
} from '../../concurrency/messages.ts'
import { runTypeOf } from '../../run-listing.ts'

/** Why a run was not started. */
export type NotStarted = Pick<EventDecision, 'because' | 'message' | 'run_id'>

/** Retries when a lock workflow closes while it is being signalled, or is about to notice that its run has ended. */
const mostTries = 10
/** The first and the longest pause before a retry. All pauses last 6.5 s: senders of events wait for 8 s. */
const firstPauseMs = 100
const longestPauseMs = 1000

/**
 * Starts a run, and does not wait for its end. Returns why it did not start when another run was faster, or the id of
 * its lock workflow.
 */
export async function startDecided(
  kept: KeptRun,
  concurrencyOrder: ConcurrencyOrder | undefined,
): Promise<{ readonly refusal?: NotStarted; readonly lockId?: string }> {
  const { start, listed } = kept
  const { runId, plan } = start
  if (!concurrencyOrder) {
    const isStarted = await startOnce(runTypeOf(plan.name), runId, start, {
      ...listed,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    })
    // A run of the same dedupe key that the store no longer remembers.
    const message = `${runId} exists already`
    return isStarted ? {} : { refusal: { because: 'duplicate', message, run_id: runId } }
  }
  const { key, running, hasEnded } = concurrencyOrder
  const memo: LockMemo = { runId }
  for (let tries = 0; tries < mostTries; tries++) {
    for (const lockId of lockIdsIn(concurrencyOrder)) {
      const isStarted = await startOnce(concurrencyLockType, lockId, kept, {
        memo: { ...memo },
        staticSummary: lockSummary(plan.name, plan.concurrency?.limit ?? 1),
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      })
      if (isStarted) return { lockId }
    }
    const { lockId } = concurrencyOrder
    if (plan.concurrency?.onConflict !== 'replace') {
      if (!hasEnded) break
      if (tries < mostTries - 1) await sleep(Math.min(firstPauseMs * 2 ** tries, longestPauseMs))
      continue
    }
    const lock = getExternalWorkflowHandle(lockId)
    const isReplacing = await lock.signal<[KeptRun]>(replaceSignal, kept).then(
      () => true,
      () => false,
    )
    if (isReplacing) return { lockId }
  }
  const message = `a run for the concurrency key ${JSON.stringify(key)} is still running`
  return {
    refusal: { because: 'concurrency', message, ...(running === undefined ? {} : { run_id: running }) },
  }
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
