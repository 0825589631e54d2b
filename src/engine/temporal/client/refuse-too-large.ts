import type { Client } from '@temporalio/client'
import { encodeToPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js'
import { RunbookError } from '../../../core/run-error.ts'
import { converterOf } from './read-history.ts'

/** What the server lets through as one payload. */
const mostBytes = 2 * 1024 * 1024

/**
 * Throws `PlanTooLarge` for what the server would not take. `what` says what it is, and ends with a verb. Resolves with how
 * many bytes it takes.
 */
export async function refuseTooLarge(
  client: Client,
  start: object,
  what = 'the plan and the inputs are',
): Promise<number> {
  const [payload] = (await encodeToPayloads(converterOf(client), start)) ?? []
  const bytes = payload?.data?.byteLength ?? 0
  if (bytes < mostBytes) return bytes
  const message = `${what} ${bytes} bytes, and a Temporal server takes ${mostBytes} at most; nothing was started`
  throw new RunbookError('PlanTooLarge', message, { notSent: true })
}
