import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import {
  ChildWorkflowCancellationType,
  isCancellation,
  ParentClosePolicy,
  startChild,
  upsertMemo,
  upsertSearchAttributes,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow'
import { heldText } from '../../../../core/record/index.ts'
import type { EventDecision } from '../../../../core/triggers/index.ts'
import type { RunStart } from '../../messages.ts'
import { type ListedRun, type RunMemo, runTypeOf } from '../../run-listing.ts'
import { type AskLine, createAskLine } from './join-line.ts'

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

/** The start of a run once its line lets it begin, or why it is not started. */
async function askFirst(
  start: RunStart,
  askLine: AskLine,
): Promise<RunStart | (NotStarted & { readonly because: 'concurrency' })> {
  const { runId, line } = start
  const answer = line?.refuses ? await askLine(line, runId) : undefined
  if (!line || !answer) return start
  const { holder, mineUntilMs } = answer
  if (holder === undefined) return { ...start, line: { ...line, mineUntilMs } }
  return { because: 'concurrency', message: heldText(line.key), run_id: holder }
}

/** Starts a run, and does not wait for its end. Undefined: it is started. */
export async function startDecided(
  { start: given, listed }: DecidedRun,
  askLine: AskLine,
): Promise<NotStarted | undefined> {
  const start = await askFirst(given, askLine)
  if ('because' in start) return start
  const { runId, plan } = start
  try {
    await startChild<(start: RunStart) => Promise<unknown>>(runTypeOf(plan.name), {
      ...listed,
      workflowId: runId,
      args: [start],
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    })
    return undefined
  } catch (thrown) {
    if (!(thrown instanceof WorkflowExecutionAlreadyStartedError)) throw thrown
    // A run of the same dedupe key that the store no longer remembers.
    return { because: 'duplicate', message: `${runId} exists already`, run_id: runId }
  }
}

/**
 * The start of a run at a time of its schedule, where its runbook has `concurrency` and does not wait. Undefined: the time
 * starts no run, and the memo says why. The server lists the run from here on: before, it is open whether there is one.
 */
export async function startOfTime(start: RunStart): Promise<RunStart | undefined> {
  const asked = await askFirst(start, createAskLine()).catch((thrown: unknown) => {
    if (!isCancellation(thrown)) throw thrown
    return { because: 'concurrency', message: 'it was cancelled before it started' } as const
  })
  if ('because' in asked) upsertMemo({ fire: asked } satisfies Pick<RunMemo, 'fire'>)
  else upsertSearchAttributes({ OpsbookStatus: ['running'] })
  return 'because' in asked ? undefined : asked
}
