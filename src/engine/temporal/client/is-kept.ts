import { type Client, WorkflowNotFoundError } from '@temporalio/client'

/** Whether the server still has an execution of a run: each is removed on its own, when its retention has passed. */
export async function isKept(client: Client, runId: string, executionId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(runId, executionId).describe()
    return true
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return false
    throw thrown
  }
}
