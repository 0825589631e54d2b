import { type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client'
import { notStarted } from '../run-listing.ts'
import { type ClientPorts, noRun, serverError } from './client-ports.ts'
import { wordOf } from './read-summary.ts'

/** What the server says of a workflow. Undefined: there is no such one, or it has started no run. */
export async function describeOf(
  ports: ClientPorts,
  workflowId: string,
): Promise<WorkflowExecutionDescription | undefined> {
  const described = await describeAny(ports, workflowId)
  return described && wordOf(described, 'OpsbookStatus') === notStarted ? undefined : described
}

/** The same for any workflow. */
export async function describeAny(
  ports: ClientPorts,
  workflowId: string,
  executionId?: string,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await ports.client.workflow.getHandle(workflowId, executionId).describe().catch(ignoreMissing)
  } catch (thrown) {
    throw serverError(thrown, ports)
  }
}

/** For a request to a workflow that need not exist, or has ended since. */
export function ignoreMissing(thrown: unknown): undefined {
  if (!(thrown instanceof WorkflowNotFoundError)) throw thrown
  return undefined
}

/** What the server says of a run. Rejects with `InvalidInput` where there is none. */
export async function describeRun(ports: ClientPorts, runId: string): Promise<WorkflowExecutionDescription> {
  const described = await describeOf(ports, runId)
  if (!described) throw noRun(runId, ports)
  return described
}
