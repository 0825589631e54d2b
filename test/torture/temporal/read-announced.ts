import type { Client } from '@temporalio/client'
import { readCalls } from '../../../src/engine/temporal/client/read-calls.ts'
import { readStart } from '../../../src/engine/temporal/client/read-history.ts'

/**
 * The creates of a run whose workers were lost after they had announced the request, as `path#attempt`, from the histories
 * of all its executions.
 */
export async function readAnnounced(client: Client, runId: string): Promise<ReadonlySet<string>> {
  const { continued } = await readStart(client, runId)
  const executions = [...(continued?.executions ?? []).map((one) => one.runId), undefined]
  const announced = new Set<string>()
  for (const execution of executions) {
    const creates = new Map<string, string>()
    for await (const event of readCalls(client, runId, execution)) {
      if (event.kind === 'begun' && event.order.safety === 'create') {
        const { path, attempt } = event.order.request
        creates.set(event.id, `${path}#${attempt}`)
      }
      const create = event.kind === 'ended' && event.wasSent ? creates.get(event.id) : undefined
      if (create !== undefined) announced.add(create)
    }
  }
  return announced
}
