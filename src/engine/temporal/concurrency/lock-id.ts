import { createHash } from 'node:crypto'

/** The id of the lock workflow of a concurrency key. The server allows one open workflow with it. */
export function lockIdOf(taskQueue: string, runbook: string, key: string): string {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 16)
  return `opsbook-concurrency/${taskQueue}/${runbook}/${hash}`
}
