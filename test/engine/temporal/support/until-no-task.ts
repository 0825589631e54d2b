import { expect } from 'vitest'
import type { Stage } from './open-stage.ts'

/**
 * Waits until none of these workflows has a task. A worker that stops can lose a task that it has just asked for: the
 * server gives it out again after 10 s.
 */
export async function untilNoTask(
  { client }: Pick<Stage, 'client'>,
  workflowIds: readonly string[],
): Promise<void> {
  const busy = async (): Promise<readonly string[]> => {
    const found = await Promise.all(workflowIds.map((id) => client.workflow.getHandle(id).describe()))
    return found.flatMap(({ raw, workflowId }) => (raw.pendingWorkflowTask ? [workflowId] : []))
  }
  await expect.poll(busy).toEqual([])
}
