import { WorkflowNotFoundError } from '@temporalio/client'
import { identityText } from '../../../core/record/identity.ts'
import type { EndedAtServer, OpenCall, ServerEnd } from '../../engine.ts'
import { readCalls } from './read-calls.ts'
import { type ClientPorts, noRun, serverError } from './talk-to-run.ts'

/**
 * Terminates a run whose workflow cannot answer, without its clean-up. Answers with its calls whose requests may have left
 * and whose end the server does not know: their outcome is unknown, as in every run that is cut off.
 */
export async function endAtServer(
  ports: ClientPorts,
  runId: string,
  { by, comment, because }: ServerEnd,
): Promise<EndedAtServer> {
  const { client } = ports
  let isResumable = true
  const open = new Map<string, OpenCall>()
  const announced = new Set<string>()

  try {
    const { runId: executionId, raw } = await client.workflow.getHandle(runId).describe()
    // The server answers no query about a workflow whose last task had failed, and the next execution begins with one.
    isResumable = (raw.pendingWorkflowTask?.attempt ?? 1) === 1
    const reason = `cancelled by ${identityText(by)}, past its workflow: ${because}${comment === undefined ? '' : `; ${comment}`}`
    await client.workflow.getHandle(runId, executionId).terminate(reason)
    for await (const event of readCalls(client, runId, executionId)) {
      if (event.kind === 'ended' && !event.wasSent) open.delete(event.id)
      else if (event.kind === 'announced') announced.add(event.id)
      else if (event.kind === 'begun') {
        const { request, safety } = event.order
        // Another worker has it instead of one that was lost.
        for (const [id, { path }] of open) if (path === request.path) open.delete(id)
        open.set(event.id, { path: request.path, action: request.action, safety })
      }
    }
  } catch (thrown) {
    throw thrown instanceof WorkflowNotFoundError ? noRun(runId, ports) : serverError(thrown, ports)
  }
  const calls = [...open].flatMap(([id, call]) =>
    call.safety !== 'create' || announced.has(id) ? [call] : [],
  )
  return { calls, isResumable }
}
