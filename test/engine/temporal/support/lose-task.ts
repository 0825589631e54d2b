import { expect } from 'vitest'
import type { Stage } from './open-stage.ts'

type Place = Pick<Stage, 'client' | 'taskQueue'>

/** A worker that stops can lose a task that it has just asked for: the server gives it out again after 10 s. */
export async function untilNoTask({ client }: Place, workflowIds: readonly string[]): Promise<void> {
  for (const workflowId of workflowIds)
    await expect
      .poll(async () => (await client.workflow.getHandle(workflowId).describe()).raw.pendingWorkflowTask)
      .toBeFalsy()
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
  const { workflowExecution } = await client.withDeadline(Date.now() + 20_000, poll)
  expect(workflowExecution?.workflowId).toBe(workflowId)
}
