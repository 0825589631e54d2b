import { createHash } from 'node:crypto'

const longestName = 40

/**
 * The id of the run that a key stands for, on any machine: a run with a key is one workflow, whoever starts it. Safe as
 * the name of a folder, whatever the key is.
 */
export function runIdOfKey(key: string): string {
  return namedRunId(key, key)
}

/**
 * The id of the run that an event starts: made of the task queue and of the dedupe key, as long as that is kept, or of the
 * event. So the server itself lets no second one begin, and two queues of a namespace each have their own.
 */
export function runIdOfEvent(
  { runbook, dedupeKey }: { readonly runbook: string; readonly dedupeKey?: string },
  { hook, id, receivedAtMs }: { readonly hook: string; readonly id: string; readonly receivedAtMs: number },
  { taskQueue, keepKeysMs }: { readonly taskQueue: string; readonly keepKeysMs: number },
): string {
  const period = Math.floor(receivedAtMs / keepKeysMs)
  const parts = dedupeKey === undefined ? ['event', runbook, hook, id] : ['key', runbook, dedupeKey, period]
  return namedRunId(`${runbook}-${dedupeKey ?? id}`, JSON.stringify([taskQueue, ...parts]))
}

function namedRunId(words: string, whole: string): string {
  const name = words.replaceAll(/[^A-Za-z0-9._-]+/g, '-').slice(0, longestName)
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, 12)
  return `run_${name}_${hash}`
}
