import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import {
  ChildWorkflowCancellationType,
  type ChildWorkflowHandle,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow'
import { heldText } from '../../../../core/record/index.ts'
import type { EventDecision } from '../../../../core/triggers/index.ts'
import type { RunStart } from '../../messages.ts'
import { type ListedRun, runTypeOf } from '../../run-listing.ts'
import type { AskLine } from './join-line.ts'

/** A run to be started, and what the server lists of it. */
export interface DecidedRun {
  readonly start: RunStart
  readonly listed: ListedRun
}

/** Why a run was not started. */
export interface NotStarted extends Pick<EventDecision, 'run_id'> {
  readonly because: 'concurrency' | 'duplicate'
  readonly message: string
}

type Run = (start: RunStart) => Promise<unknown>

/** Starts a run, and does not wait for its end, unless its line refuses it. */
export async function startDecided(
  { start: given, listed }: DecidedRun,
  askLine: AskLine,
): Promise<NotStarted | ChildWorkflowHandle<Run>> {
  const { runId, plan, line } = given
  const answer = line?.refuses ? await askLine(line, runId) : undefined
  if (line && answer?.holder !== undefined) {
    return { because: 'concurrency', message: heldText(line.key), run_id: answer.holder }
  }
  const start = line && answer ? { ...given, line: { ...line, mineUntilMs: answer.mineUntilMs } } : given
  try {
    return await startChild<Run>(runTypeOf(plan.name), {
      ...listed,
      workflowId: runId,
      args: [start],
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    })
  } catch (thrown) {
    if (!(thrown instanceof WorkflowExecutionAlreadyStartedError)) throw thrown
    // A run of the same dedupe key that the store no longer remembers.
    return { because: 'duplicate', message: `${runId} exists already`, run_id: runId }
  }
}
