import { createHash } from 'node:crypto'
import type { Concurrency } from '../../../core/record/index.ts'
import type { AwaitedLine } from './line.ts'

/** The id of the lock workflow of a concurrency key. The server allows one open workflow with it. */
export function lockIdOf(taskQueue: string, runbook: string, key: string): string {
  return `opsbook-concurrency/${taskQueue}/${runbook}/${hashOf(key)}`
}

/** The ids of the lock workflows of a concurrency key that `limit` runs may have at a time: one for each of them. */
export function lockIdsOf(
  taskQueue: string,
  runbook: string,
  { key, limit }: Pick<Concurrency, 'key' | 'limit'>,
): readonly string[] {
  const first = lockIdOf(taskQueue, runbook, key)
  return Array.from({ length: limit }, (_, place) => (place === 0 ? first : `${first}/${place + 1}`))
}

/** The line that a run waits in; undefined where its runbook does not wait. */
export function awaitedLineOf(
  taskQueue: string,
  runbook: string,
  concurrency: Concurrency | undefined,
): AwaitedLine | undefined {
  if (concurrency?.onConflict !== 'wait') return undefined
  const { key, limit } = concurrency
  return { lineId: `opsbook-line/${taskQueue}/${runbook}/${hashOf(key)}`, key, limit }
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16)
}
