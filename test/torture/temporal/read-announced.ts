import type { Client } from '@temporalio/client'
import { decodePayload, readHistory, readStart } from '../../../src/engine/temporal/client/read-history.ts'
import { type SendingNotice, sendingSignal } from '../../../src/engine/temporal/messages.ts'

/** The creates of a run whose requests were announced, as `path#attempt`, from the histories of all its executions. */
export async function readAnnounced(client: Client, runId: string): Promise<ReadonlySet<string>> {
  const { continued } = await readStart(client, runId)
  const executions = [...(continued?.executions ?? []).map((one) => one.runId), undefined]
  const announced = new Set<string>()
  for (const execution of executions) {
    for await (const { workflowExecutionSignaledEventAttributes: signal } of readHistory(
      client,
      runId,
      execution,
    )) {
      if (signal?.signalName !== sendingSignal) continue
      const notice = await decodePayload<SendingNotice>(client, runId, signal.input)
      if (notice) announced.add(`${notice.path}#${notice.attempt}`)
    }
  }
  return announced
}
