import type { Client } from '@temporalio/client'
import { type Action, insideSandbox } from '../../actions/index.ts'
import { closedSandbox, readQueueService } from '../../engine/temporal/worker/claim-queue.ts'

/**
 * The actions as the workers of a task queue let runs use them, as far as the server can tell: a run that would leave
 * their sandbox is refused before it starts. Where it is not, the worker refuses the step.
 */
export async function actionsOfQueue(
  client: Client,
  taskQueue: string,
  actions: readonly Action[],
): Promise<readonly Action[]> {
  const service = await readQueueService(client, taskQueue).catch(() => undefined)
  return service === closedSandbox ? insideSandbox(actions) : actions
}
