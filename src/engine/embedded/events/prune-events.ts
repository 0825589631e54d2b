import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { inTransaction } from '../in-transaction.ts'

/** In one transaction: nobody else waits for long. */
const atOnce = 200

/**
 * Starts that later events are judged by stay for so long, whatever is to be removed: how far back a cooldown looks stands in
 * runbooks, which are not here, and may say more tomorrow. They are small.
 */
const keepStartsMs = 400 * 86_400_000

/** Removes the events from before a time with what was decided of them, and answers how many there are of them. */
export async function pruneEvents(
  database: DatabaseSyncInstance,
  { endedBeforeMs, isDryRun }: { readonly endedBeforeMs: number; readonly isDryRun?: boolean },
): Promise<number> {
  if (isDryRun) {
    const row = database
      .prepare('SELECT count(*) AS count FROM received_events WHERE received_at < ?')
      .get(endedBeforeMs)
    return Number(row?.['count'])
  }
  const select = database.prepare('SELECT seq FROM received_events WHERE received_at < ? LIMIT ?')
  const decisions = database.prepare('DELETE FROM event_decisions WHERE event = ?')
  const event = database.prepare('DELETE FROM received_events WHERE seq = ?')
  let removed = 0
  for (;;) {
    const count = inTransaction(database, () => {
      const rows = select.all(endedBeforeMs, atOnce)
      for (const { seq } of rows) {
        decisions.run(Number(seq))
        event.run(Number(seq))
      }
      return rows.length
    })
    removed += count
    if (count < atOnce) break
    await nextTurn()
  }
  const oldest = Date.now() - keepStartsMs
  database.prepare('DELETE FROM trigger_starts WHERE started_at < ?').run(Math.min(endedBeforeMs, oldest))
  return removed
}
