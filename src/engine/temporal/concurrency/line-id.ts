import { createHash } from 'node:crypto'
import type { Concurrency } from '../../../core/record/index.ts'
import type { AwaitedLine } from './line.ts'

/** The line of the concurrency key of a run; undefined where its runbook has no `concurrency`. */
export function awaitedLineOf(
  taskQueue: string,
  runbook: string,
  concurrency: Concurrency | undefined,
): AwaitedLine | undefined {
  if (!concurrency) return undefined
  const { key, limit, onConflict } = concurrency
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 16)
  const line = { lineId: `opsbook-line/${taskQueue}/${runbook}/${hash}`, key, limit }
  return onConflict === 'wait' ? line : { ...line, refuses: true }
}
