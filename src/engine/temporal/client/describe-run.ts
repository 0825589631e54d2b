import { type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client'
import { grpcCodes, grpcError } from '../connection.ts'
import { notStarted } from '../run-listing.ts'
import { atServer, type ClientPorts, noRun } from './client-ports.ts'
import { searchWordOf } from './read-summary.ts'

/** What the server says of a workflow. Undefined: there is no such one, or it has started no run. */
export async function describeOf(
  ports: ClientPorts,
  workflowId: string,
): Promise<WorkflowExecutionDescription | undefined> {
  const described = await describeAny(ports, workflowId)
  return described && searchWordOf(described, 'OpsbookStatus') === notStarted ? undefined : described
}

/** The same for any workflow. */
export function describeAny(
  ports: ClientPorts,
  workflowId: string,
  executionId?: string,
): Promise<WorkflowExecutionDescription | undefined> {
  const handle = ports.client.workflow.getHandle(workflowId, executionId)
  return atServer(ports, () => handle.describe().catch(ignoreMissing))
}

/** For a request to a workflow that need not exist, or has ended since, and for a history that the server has removed. */
export function ignoreMissing(thrown: unknown): undefined {
  const isMissing = thrown instanceof WorkflowNotFoundError || grpcError(thrown).code === grpcCodes.notFound
  if (!isMissing) throw thrown
  return undefined
}

/** What the server says of a run. Rejects with `InvalidInput` where there is none. */
export async function describeRun(ports: ClientPorts, runId: string): Promise<WorkflowExecutionDescription> {
  const described = await describeOf(ports, runId)
  if (!described) throw noRun(runId, ports)
  return described
}
