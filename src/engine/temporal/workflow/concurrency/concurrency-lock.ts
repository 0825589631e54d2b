import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  type ChildWorkflowHandle,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  startChild,
  upsertMemo,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow'
import {
  type KeptOver,
  type KeptRun,
  type LockMemo,
  overSignal,
  presenceSignal,
  takePlaceSignal,
  unwantedSignal,
} from '../../concurrency/messages.ts'
import type { RunStart } from '../../messages.ts'
import { type RunMemo, runTypeOf } from '../../run-listing.ts'
import { followDeployments } from '../follow-deployments.ts'
import { onSignal } from '../handlers.ts'

type Run = (start: RunStart) => Promise<unknown>

/** With more events than this, the next run gets a new execution of the lock workflow. */
const mostEvents = 2000
/** The memo lists this many superseded starts. An earlier one learns of it when the lock workflow ends. */
const mostSuperseded = 100

/**
 * Holds a concurrency key: starts its run as a child, and ends when the run has ended. The server accepts one open
 * workflow with its id, so no second run of the key starts.
 *
 * Several runs can take the place of a run that has ended: the first one starts. The workflow that awaits a run receives
 * a signal when the run is over.
 */
export async function opsbookConcurrencyLock(first?: KeptRun): Promise<void> {
  let next = first
  let current: KeptRun | undefined
  const superseded: string[] = []
  const unwanted = new Set<string>()
  const list = ({ start }: KeptRun): void =>
    writeMemo({ runId: start.runId, superseded: superseded.slice(-mostSuperseded) })
  onSignal<[KeptRun, string]>(takePlaceSignal, (run, ended) => {
    const faster = next ?? current
    if (!faster || tokenOf(faster) === ended) {
      next = run
      return
    }
    superseded.push(tokenOf(run))
    void signalOver(run, { supersededBy: faster.start.runId })
    list(faster)
  })
  onSignal<[string]>(unwantedSignal, (runId) => {
    unwanted.add(runId)
    if (next?.start.runId !== runId) return
    void signalOver(next, { isUnwanted: true })
    next = undefined
  })
  onSignal(presenceSignal, () => {})
  const keep = async (): Promise<void> => {
    for (;;) {
      await condition(() => next !== undefined || unwanted.size > 0)
      const run = next
      if (!run) return
      next = undefined
      current = run
      list(current)
      const scope = new CancellationScope()
      const child = await begin(run, scope)
      if (child) await outlive(child, scope, () => unwanted.has(run.start.runId))
      await signalOver(run)
      if (!next) return
      if (isLong()) await continueAsNew<typeof opsbookConcurrencyLock>(next)
    }
  }
  // Cancelling the lock workflow has no effect: users cancel the run, and the key stays taken until it has ended.
  await CancellationScope.nonCancellable(keep)
}

followDeployments(opsbookConcurrencyLock)

/**
 * A resumed run starts within this time. Its client lets no other process continue the run for twice as long; after that
 * another process may have continued it.
 */
const resumeWithinMs = 30_000

/** Undefined: the id is taken, so another process has started it, or may have continued it. */
async function begin(
  { start, listed, resumedAtMs }: KeptRun,
  scope: CancellationScope,
): Promise<ChildWorkflowHandle<Run> | undefined> {
  const isResumed = resumedAtMs !== undefined
  if (isResumed && Date.now() - resumedAtMs > resumeWithinMs) return undefined
  // A run that had to wait starts now.
  const startedAtMs = isResumed ? start.startedAtMs : Date.now()
  const memo = { ...listed.memo, startedAtMs }
  try {
    return await scope.run(() =>
      startChild<Run>(runTypeOf(start.plan.name), {
        workflowId: start.runId,
        args: [{ ...start, startedAtMs }],
        workflowIdReusePolicy: isResumed
          ? WorkflowIdReusePolicy.ALLOW_DUPLICATE
          : WorkflowIdReusePolicy.REJECT_DUPLICATE,
        parentClosePolicy: ParentClosePolicy.ABANDON,
        cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
        ...listed,
        memo,
      }),
    )
  } catch (thrown) {
    if (thrown instanceof WorkflowExecutionAlreadyStartedError) return undefined
    throw thrown
  }
}

/** Resolves when the run has ended. Cancels it when it is unwanted. */
async function outlive(
  child: ChildWorkflowHandle<Run>,
  scope: CancellationScope,
  isUnwanted: () => boolean,
): Promise<void> {
  let isOver = false
  const end = (): void => {
    isOver = true
  }
  // The result does not matter here: clients ask the run.
  void child.result().then(end, end)
  await condition(() => isOver || isUnwanted())
  if (isOver) return
  scope.cancel()
  await condition(() => isOver)
}

/** Signals that a run is over. Ignores that the awaiting workflow has ended. */
async function signalOver({ awaitedBy, start }: KeptRun, why: Omit<KeptOver, 'runId'> = {}): Promise<void> {
  if (awaitedBy === undefined) return
  const over: KeptOver = { runId: start.runId, ...why }
  await CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(awaitedBy).signal<[KeptOver]>(overSignal, over),
  ).catch(() => {})
}

function writeMemo(memo: LockMemo): void {
  const known = workflowInfo().memo as LockMemo | undefined
  if (known?.runId !== memo.runId || memo.superseded?.length !== 0) upsertMemo({ ...memo })
}

function tokenOf({ listed }: KeptRun): string {
  return (listed.memo as unknown as RunMemo).startToken
}

function isLong(): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo()
  return continueAsNewSuggested || historyLength > mostEvents
}
