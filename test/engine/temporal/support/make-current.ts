import type { Client } from '@temporalio/client'
import { expect } from 'vitest'

/** Does what `temporal worker deployment set-current-version` does, once the server knows the build. */
export async function makeCurrent(client: Client, deploymentName: string, buildId: string): Promise<void> {
  const { namespace } = client.options
  const set = (): Promise<unknown> =>
    client.workflowService.setWorkerDeploymentCurrentVersion({ namespace, deploymentName, buildId })
  await expect.poll(() => set().then(() => 'set', String)).toBe('set')
}
