import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow'

/**
 * Moves a workflow that is open as long as there are calls to the workers of a new deployment, so that no deployment waits
 * for its end. Has no effect for workers without versions.
 */
export function followDeployments(workflow: (...args: never[]) => Promise<void>): void {
  setWorkflowOptions(
    () =>
      (workflowInfo().currentDeploymentVersion?.deploymentName ?? '') === ''
        ? {}
        : { versioningBehavior: 'AUTO_UPGRADE' },
    workflow as () => Promise<void>,
  )
}

/** Whether such a workflow has more events than that, or than the server likes: it is to continue as a new execution. */
export function hasLongHistory(mostEvents: number): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo()
  return continueAsNewSuggested || historyLength > mostEvents
}
