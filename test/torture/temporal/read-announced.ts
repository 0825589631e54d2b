import type { Client } from '@temporalio/client'
import { readCalls } from '../../../src/engine/temporal/client/read-calls.ts'
import { readStart } from '../../../src/engine/temporal/client/read-history.ts'
import { attemptKey } from '../../../src/engine/temporal/messages.ts'

/**
 * The creates of a run whose workers were lost after they had announced the request, as `path#attempt`, from the histories
 * of all its executions.
 */
export async function readAnnounced(client: Client, runId: string): Promise<ReadonlySet<string>> {
  const { continued } = await readStart(client, runId)
  const executions = [...(continued?.executions ?? []).map((one) => one.runId), undefined]
  const announced = new Set<string>()
  for (const execution of executions) {
    const { calls } = await readCalls(client, runId, execution)
    for (const { order, end } of calls)
      if (order.safety === 'create' && end?.wasSent) announced.add(attemptKey(order.request))
  }
  return announced
}
