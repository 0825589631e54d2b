import { WorkflowNotFoundError } from '@temporalio/client'
import type { EndedAtServer, OpenCall, ServerEnd } from '../../engine.ts'
import { readCalls } from './read-calls.ts'
import { type ClientPorts, noRun, serverError } from './talk-to-run.ts'

/**
 * Terminates a run whose workflow cannot answer, without its clean-up. Its calls that were begun
 * and whose end the server has not heard of have an unknown outcome, as in every run that is cut off.
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
    const reason = `cancelled by ${by}, past its workflow: ${because}${comment === undefined ? '' : `; ${comment}`}`
    await client.workflow.getHandle(runId, executionId).terminate(reason)
    for await (const event of readCalls(client, runId, executionId)) {
      if (event.kind === 'ended') open.delete(event.id)
      if (event.kind !== 'begun') continue
      const { request, safety } = event.order
      open.set(event.id, { path: request.path, action: request.action, safety })
    }
  } catch (thrown) {
    throw thrown instanceof WorkflowNotFoundError ? noRun(runId, ports) : serverError(thrown, ports)
  }
  return { calls: [...open.values()], isResumable }
}
