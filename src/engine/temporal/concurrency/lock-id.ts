import { createHash } from 'node:crypto'

/** The id of the workflow that keeps a concurrency key: there is one of it at a time. */
export function lockIdOf(taskQueue: string, runbook: string, key: string): string {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 16)
  return `opsbook-concurrency/${taskQueue}/${runbook}/${hash}`
}
