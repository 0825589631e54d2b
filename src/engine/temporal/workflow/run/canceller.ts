import {
  CancellationScope,
  executeChild,
  getExternalWorkflowHandle,
  workflowInfo,
} from '@temporalio/workflow'
import { cancellerType } from '../../messages.ts'

/** Asks the server to cancel the run that started this workflow. */
export async function opsbookCanceller(): Promise<void> {
  const { parent } = workflowInfo()
  if (parent) await getExternalWorkflowHandle(parent.workflowId, parent.runId).cancel()
}

/**
 * Asks the server to cancel this execution, so that the server lists it as cancelled. A workflow cannot do that itself, but
 * its child can. Never rejects: the listed status must not harm the run.
 */
export async function askForCancellation(runId: string): Promise<void> {
  await CancellationScope.nonCancellable(() =>
    executeChild(cancellerType, {
      workflowId: `${runId}/canceller`,
      staticSummary: `${runId} was cancelled`,
    }),
  ).catch(() => {})
}
