import { WorkflowNotFoundError } from '@temporalio/client'
import type { OpenCall, ServerEnd } from '../../engine.ts'
import { readCalls } from './read-calls.ts'
import { type ClientPorts, noRun, serverError } from './talk-to-run.ts'

/**
 * Terminates a run whose workflow cannot answer, without its clean-up. Resolves with the calls that were begun and whose
 * end the server has not heard of: {@link findCutOff} counts creates among them as unknown when the run is resumed.
 */
export async function endAtServer(
  ports: ClientPorts,
  runId: string,
  { by, comment, because }: ServerEnd,
): Promise<readonly OpenCall[]> {
  const { client } = ports
  const open = new Map<string, OpenCall>()
  try {
    const { runId: executionId } = await client.workflow.getHandle(runId).describe()
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
  return [...open.values()]
}
