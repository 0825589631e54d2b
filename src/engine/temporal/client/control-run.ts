import { WorkflowNotFoundError } from '@temporalio/client'
import { identityText } from '../../../core/people/index.ts'
import type { ControlRequest } from '../../../core/record/index.ts'
import type { EndedAtServer, OpenCall, ServerEnd } from '../../index.ts'
import { controlUpdate } from '../messages.ts'
import { type ClientPorts, noRun, serverError } from './client-ports.ts'
import { readCalls } from './read-calls.ts'
import { readUnsent } from './read-waiting.ts'
import { talkToRun } from './talk-to-run.ts'

/**
 * Sends a control request to a run. Cancels the workflow at the server too, so that its pages show the run as
 * cancelled. Rejects as {@link talkToRun} does.
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
      // The run has ended since, by the control request.
      if (!(thrown instanceof WorkflowNotFoundError)) throw thrown
    })
  })
}

/**
 * Terminates a run whose workflow cannot answer, without its clean-up. Answers with the calls whose requests may have
 * left and whose result the server does not know: their outcome is unknown.
 */
export async function endAtServer(
  ports: ClientPorts,
  runId: string,
  { by, comment, because }: ServerEnd,
): Promise<EndedAtServer> {
  const { client } = ports
  let isResumable = true
  const open = new Map<string, OpenCall>()

  try {
    const { runId: executionId, raw } = await client.workflow.getHandle(runId).describe()
    // The server answers no query about a workflow whose last task had failed, and the next execution begins with one.
    isResumable = (raw.pendingWorkflowTask?.attempt ?? 1) === 1
    const reason = `cancelled by ${identityText(by)}, past its workflow: ${because}${comment === undefined ? '' : `; ${comment}`}`
    const handle = client.workflow.getHandle(runId, executionId)
    await handle.terminate(reason)
    const unsent = await readUnsent(client, await handle.describe())
    for await (const event of readCalls(client, runId, executionId)) {
      if (event.kind === 'ended' && !event.wasSent) open.delete(event.id)
      else if (event.kind === 'begun') {
        const { request, safety } = event.order
        // Another worker has the call of a lost one.
        for (const [id, { path }] of open) if (path === request.path) open.delete(id)
        if (safety === 'create' && unsent.has(event.activityId)) continue
        open.set(event.id, { path: request.path, action: request.action, safety })
      }
    }
  } catch (thrown) {
    throw thrown instanceof WorkflowNotFoundError ? noRun(runId, ports) : serverError(thrown, ports)
  }
  return { calls: [...open.values()], isResumable }
}
