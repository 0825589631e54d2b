import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import {
  type ChildWorkflowOptions,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  proxyLocalActivities,
  startChild,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow'
import type { EventDecision } from '../../../../core/triggers/index.ts'
import {
  type ConcurrencyOrder,
  concurrencyLockType,
  type Holder,
  holderActivity,
  type KeptOver,
  type KeptRun,
  type LockMemo,
  lockIdsIn,
  lockSummary,
  takePlaceSignal,
} from '../../concurrency/messages.ts'
import { runTypeOf } from '../../run-listing.ts'

/** Why a run was not started. */
export interface NotStarted extends Pick<EventDecision, 'run_id'> {
  readonly because: 'concurrency' | 'duplicate'
  readonly message: string
}

/** Retries when a lock workflow closes while its run is looked at, or while it is being signalled. */
const mostTries = 10

const local = proxyLocalActivities<{
  [holderActivity](order: ConcurrencyOrder): Promise<Holder | undefined>
}>({ startToCloseTimeout: '10 seconds' })

/**
 * Starts a run, and does not wait for its end. Returns why it did not start when another run was faster, or the id of
 * its lock workflow. A run that is to start in place of another one can still be refused: this workflow then receives
 * {@link overSignal}.
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
  const { key } = concurrencyOrder
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
    const holder = await local[holderActivity](concurrencyOrder)
    if (!holder) continue
    const { lockId, ended } = holder
    // An earlier try to take the same event started it.
    if (holder.runId === runId) return { lockId }
    if (ended === undefined) return { refusal: refusedFor(key, holder.runId) }
    const signalled: KeptRun = { ...kept, awaitedBy: workflowInfo().workflowId }
    const isSignalled = await getExternalWorkflowHandle(lockId)
      .signal<[KeptRun, string]>(takePlaceSignal, signalled, ended)
      .then(
        () => true,
        () => false,
      )
    if (isSignalled) return { lockId }
  }
  return { refusal: refusedFor(key) }
}

/** Why a run never started that was to start in place of another one. Undefined: it has ended. */
export function whyNotBegun({ supersededBy, isUnwanted }: KeptOver): NotStarted | undefined {
  if (isUnwanted) return { because: 'concurrency', message: 'it was cancelled before it started' }
  if (supersededBy === undefined) return undefined
  const message = `${supersededBy} took the concurrency key before it started`
  return { because: 'concurrency', message, run_id: supersededBy }
}

function refusedFor(key: string, runId?: string): NotStarted {
  const message = `a run for the concurrency key ${JSON.stringify(key)} is still running`
  return { because: 'concurrency', message, ...(runId === undefined ? {} : { run_id: runId }) }
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
