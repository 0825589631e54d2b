import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  type ChildWorkflowHandle,
  condition,
  continueAsNew,
  defineSignal,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  setHandler,
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
  replacedSignal,
  replaceSignal,
  type Successor,
  unwantedSignal,
} from '../concurrency/messages.ts'
import type { RunStart } from '../messages.ts'
import type { RunMemo } from '../run-memo.ts'
import { runTypeOf } from '../run-type.ts'
import { followDeployments } from './follow-deployments.ts'

type Run = (start: RunStart) => Promise<unknown>

/** More events than this, and the next run has a lock workflow of its own. */
const mostEvents = 2000
/** Whoever has waited behind more than so many is told as soon as the lock workflow ends. */
const mostSuperseded = 100

/**
 * Keeps a concurrency key: starts its run as a child, and ends with it, whatever ended it. The server lets no second
 * workflow have its id, so no second run of the key is started.
 *
 * A run that is to take the place of the first begins when that one has ended: it is cancelled, and carries its clean-up
 * out. Of several only the last one begins. Whoever awaits a run is told when it is over.
 */
export async function opsbookConcurrencyLock(first?: KeptRun): Promise<void> {
  let next = first
  const superseded: string[] = []
  const unwanted = new Set<string>()
  setHandler(defineSignal<[KeptRun]>(replaceSignal), (run) => {
    if (next) {
      superseded.push(tokenOf(next))
      void tellOver(next, { isSuperseded: true })
    }
    next = run
  })
  setHandler(defineSignal<[string]>(unwantedSignal), (runId) => {
    unwanted.add(runId)
    if (next?.start.runId !== runId) return
    void tellOver(next, { isUnwanted: true })
    next = undefined
  })
  setHandler(defineSignal(presenceSignal), () => {})
  const keep = async (): Promise<void> => {
    for (;;) {
      await condition(() => next !== undefined || unwanted.size > 0)
      const run = next
      if (!run) return
      next = undefined
      tellWho({ runId: run.start.runId, superseded: superseded.slice(-mostSuperseded) })
      const scope = new CancellationScope()
      const child = await begin(run, scope)
      const isUnwanted = (): boolean => unwanted.has(run.start.runId)
      if (child) await outlive(child, scope, { next: () => next, isUnwanted })
      await tellOver(run)
      if (!next) return
      if (isLong()) await continueAsNew<typeof opsbookConcurrencyLock>(next)
    }
  }
  // Nobody is kept from the key by a lock workflow that was cancelled: it is the run that is to be cancelled.
  await CancellationScope.nonCancellable(keep)
}

followDeployments(opsbookConcurrencyLock)

/** Undefined: its id is taken, so somebody else has started it. */
async function begin(
  { start, listed, isResumed }: KeptRun,
  scope: CancellationScope,
): Promise<ChildWorkflowHandle<Run> | undefined> {
  // One that had to wait begins now.
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

/** Until the run has ended. Whoever comes next is told to it once. */
async function outlive(
  child: ChildWorkflowHandle<Run>,
  scope: CancellationScope,
  { next, isUnwanted }: { readonly next: () => KeptRun | undefined; readonly isUnwanted: () => boolean },
): Promise<void> {
  let isOver = false
  const end = (): void => {
    isOver = true
  }
  // However it ends: who wants to know asks the run.
  void child.result().then(end, end)
  await condition(() => isOver || next() !== undefined || isUnwanted())
  if (isOver) return
  const successor = next()?.start
  if (successor) {
    const told: Successor = { runId: successor.runId, by: successor.startedBy }
    // Where it has ended meanwhile there is nobody to tell.
    await child.signal<[Successor]>(replacedSignal, told).catch(() => {})
  }
  scope.cancel()
  await condition(() => isOver)
}

/** Where nobody waits for it any more there is nobody to tell. */
async function tellOver({ awaitedBy }: KeptRun, told: KeptOver = {}): Promise<void> {
  if (awaitedBy === undefined) return
  await CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(awaitedBy).signal<[KeptOver]>(overSignal, told),
  ).catch(() => {})
}

function tellWho(memo: LockMemo): void {
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
