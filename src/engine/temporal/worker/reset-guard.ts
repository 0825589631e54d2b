import type { Context } from '@temporalio/activity'
import type { Client } from '@temporalio/client'
import { RunbookError } from '../../../core/run-error.ts'
import { readCalls } from '../client/read-calls.ts'
import { heartbeatIn } from '../codec/worker-payloads.ts'
import { type AttemptOrder, isAnnouncement } from '../messages.ts'

/** Rejects with `OutcomeUnknown` for a create that may have been sent before the server gave it out again. */
export type ResetGuard = (order: AttemptOrder, info: Context['info']) => Promise<void>

/** How many executions it remembers the creates of. */
const mostKept = 10

/** Reads what ran before a reset once for each execution. */
export function createResetGuard(client: Client): ResetGuard {
  const kept = new Map<string, Promise<ReadonlySet<string>>>()
  const readOnce = (workflowId: string, order: AttemptOrder): Promise<ReadonlySet<string>> => {
    const known = kept.get(order.executionId)
    if (known) return known
    const read = readCreates(client, workflowId, order)
    const [oldest] = kept.keys()
    if (kept.size >= mostKept && oldest !== undefined) kept.delete(oldest)
    kept.set(order.executionId, read)
    read.catch(() => kept.delete(order.executionId))
    return read
  }
  return async (order, { workflowExecution, heartbeatDetails }) => {
    const { action, path } = order.request
    const { workflowId, runId = order.executionId } = workflowExecution ?? {}
    if (runId !== order.executionId)
      throw unknown(`${action} may have been sent by an execution that was reset`)
    if (isAnnouncement(heartbeatIn(heartbeatDetails)))
      throw unknown(`${action} may have been sent by another worker`)
    if (!order.reset || workflowId === undefined) return
    const creates = await readOnce(workflowId, order).catch((cause: unknown) => {
      const message = `the run was reset on the server, and what it had done before cannot be read: ${action} may have been sent`
      throw unknown(message, cause)
    })
    if (creates.has(path))
      throw unknown(`the run was reset on the server, and had asked for ${action} before`)
  }
}

/**
 * The paths of the creates that were scheduled in executions which are no part of the run any more: those that were reset,
 * and those that followed them.
 */
async function readCreates(
  client: Client,
  workflowId: string,
  { executionId, reset }: AttemptOrder,
): Promise<ReadonlySet<string>> {
  const executions = new Set(reset?.of)
  const query = `WorkflowId = ${JSON.stringify(workflowId)}`
  for await (const { runId } of client.workflow.list({ query })) executions.add(runId)
  for (const runId of [executionId, ...(reset?.executions ?? [])]) executions.delete(runId)
  const paths = new Set<string>()
  for (const runId of executions)
    for (const { order } of (await readCalls(client, workflowId, runId)).calls)
      if (order.safety === 'create') paths.add(order.request.path)
  return paths
}

function unknown(message: string, cause?: unknown): RunbookError {
  return new RunbookError('OutcomeUnknown', message, { cause })
}
