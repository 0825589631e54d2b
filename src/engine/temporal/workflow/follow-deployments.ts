import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow'

/**
 * A workflow that lives for as long as there are calls moves on to the workers of a new deployment: no deployment may
 * have to wait for its end. Where workers are not versioned there is nothing to say.
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
