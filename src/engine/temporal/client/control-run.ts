import { WorkflowNotFoundError } from '@temporalio/client'
import { identityText } from '../../../core/people/index.ts'
import type { ControlRequest } from '../../../core/record/index.ts'
import type { EndedAtServer, ServerEnd } from '../../index.ts'
import { controlUpdate } from '../messages.ts'
import { type ClientPorts, noRun, serverError } from './client-ports.ts'
import { ignoreMissing } from './describe-run.ts'
import { type HistoryCall, readCalls } from './read-calls.ts'
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
    // The run can have ended since, by the control request.
    await handle.cancel().catch(ignoreMissing)
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
  // Another worker has the call of a lost one.
  const last = new Map<string, HistoryCall>()
  let unsent: ReadonlySet<string>
  try {
    const { runId: executionId, raw } = await client.workflow.getHandle(runId).describe()
    // The server answers no query about a workflow whose last task had failed, and the next execution begins with one.
    isResumable = (raw.pendingWorkflowTask?.attempt ?? 1) === 1
    const reason = `cancelled by ${identityText(by)}, past its workflow: ${because}${comment === undefined ? '' : `; ${comment}`}`
    const handle = client.workflow.getHandle(runId, executionId)
    await handle.terminate(reason)
    unsent = await readUnsent(client, await handle.describe())
    const { calls } = await readCalls(client, runId, executionId)
    for (const call of calls) last.set(call.order.request.path, call)
  } catch (thrown) {
    throw thrown instanceof WorkflowNotFoundError ? noRun(runId, ports) : serverError(thrown, ports)
  }
  const open = [...last.values()].flatMap(({ activityId, order: { request, safety }, end }) => {
    const isOver = end ? !end.wasSent : safety === 'create' && unsent.has(activityId)
    return isOver ? [] : [{ path: request.path, action: request.action, safety }]
  })
  return { calls: open, isResumable }
}
