import { WorkflowNotFoundError } from '@temporalio/client'
import type { ControlRequest } from '../../../core/record/control-request.ts'
import { controlUpdate } from '../messages.ts'
import { type ClientPorts, talkToRun } from './talk-to-run.ts'

/**
 * Tells a run what somebody wants of it. A cancellation goes to the server, too, so that its pages call it so. Rejects
 * as {@link talkToRun} does.
 */
export function sendControlRequest(
  runId: string,
  ports: ClientPorts,
  controlRequest: ControlRequest,
): Promise<void> {
  const handle = ports.client.workflow.getHandle(runId)
  return talkToRun(runId, ports, async () => {
    await handle.executeUpdate<void, [ControlRequest]>(controlUpdate, { args: [controlRequest] })
    if (controlRequest.kind !== 'cancel' && controlRequest.kind !== 'cancel-now') return
    await handle.cancel().catch((thrown: unknown) => {
      // It has ended meanwhile, of the first word already.
      if (!(thrown instanceof WorkflowNotFoundError)) throw thrown
    })
  })
}
