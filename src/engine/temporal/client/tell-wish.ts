import { WorkflowNotFoundError } from '@temporalio/client'
import type { Wish } from '../../../core/record/wish.ts'
import { wishUpdate } from '../messages.ts'
import { type ClientPorts, talkToRun } from './talk-to-run.ts'

/**
 * Tells a run what somebody wants of it. A cancellation goes to the server, too, so that its pages call it so. Rejects
 * as {@link talkToRun} does.
 */
export function tellWish(runId: string, ports: ClientPorts, wish: Wish): Promise<void> {
  const handle = ports.client.workflow.getHandle(runId)
  return talkToRun(runId, ports, async () => {
    await handle.executeUpdate<void, [Wish]>(wishUpdate, { args: [wish] })
    if (wish.kind !== 'cancel' && wish.kind !== 'cancel-now') return
    await handle.cancel().catch((thrown: unknown) => {
      // It has ended meanwhile, of the first word already.
      if (!(thrown instanceof WorkflowNotFoundError)) throw thrown
    })
  })
}
