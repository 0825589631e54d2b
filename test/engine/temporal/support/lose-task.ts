import { expect } from 'vitest'
import type { Stage } from './open-stage.ts'

type Place = Pick<Stage, 'client' | 'taskQueue'>

/**
 * Waits until none of these workflows has a task. A worker that stops can lose a task that it has just asked for: the
 * server gives it out again after 10 s.
 */
export async function untilNoTask(
  { client }: Pick<Place, 'client'>,
  workflowIds: readonly string[],
): Promise<void> {
  const busy = async (): Promise<readonly string[]> => {
    const found = await Promise.all(workflowIds.map((id) => client.workflow.getHandle(id).describe()))
    return found.flatMap(({ raw, workflowId }) => (raw.pendingWorkflowTask ? [workflowId] : []))
  }
  await expect.poll(busy).toEqual([])
}

/** Takes the next workflow task of a queue without workers, as a worker does that dies with it. */
export async function loseTask({ client, taskQueue }: Place, workflowId: string): Promise<void> {
  const { namespace } = client.options
  const poll = () =>
    client.workflowService.pollWorkflowTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      identity: 'dies',
    })
  for (const endMs = Date.now() + 40_000; ; ) {
    const { workflowExecution, query } = await client.withDeadline(endMs, poll)
    // A question of a process that follows a run: it asks again.
    if (query) continue
    expect(workflowExecution?.workflowId).toBe(workflowId)
    return
  }
}
