import {
  CancellationScope,
  executeChild,
  getExternalWorkflowHandle,
  workflowInfo,
} from '@temporalio/workflow'
import { cancellerType } from '../messages.ts'

/** Asks the server to cancel the run that has started this. */
export async function opsbookCanceller(): Promise<void> {
  const { parent } = workflowInfo()
  if (parent) await getExternalWorkflowHandle(parent.workflowId, parent.runId).cancel()
}

/**
 * Resolves when the server has been asked to cancel this execution, or cannot be. A workflow cannot ask for that itself:
 * a child does. It never rejects, since how a run is called on the pages of the server must not be able to hurt it.
 */
export async function askForCancellation(runId: string): Promise<void> {
  await CancellationScope.nonCancellable(() =>
    executeChild(cancellerType, {
      workflowId: `${runId}/canceller`,
      staticSummary: `${runId} was cancelled`,
    }),
  ).catch(() => {})
}
