import { gunzipSync } from 'node:zlib'
import type { Client } from '@temporalio/client'
import { readHistory } from '../../../../src/engine/temporal/client/read-history.ts'

/** Everything that the server keeps of an execution of a workflow, or of its last, event by event, bytes as what they spell. */
export async function* historyTexts(
  client: Client,
  workflowId: string,
  executionId?: string,
): AsyncGenerator<string> {
  for await (const event of readHistory(client, workflowId, executionId)) yield textOf(event)
}

function textOf(value: unknown): string {
  if (value instanceof Uint8Array) {
    const isCompressed = value[0] === 0x1f && value[1] === 0x8b
    return Buffer.from(isCompressed ? gunzipSync(value) : value).toString('latin1')
  }
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${textOf(inner)}`)
    .join('\n')
}
