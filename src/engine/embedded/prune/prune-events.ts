import { setImmediate as afterOthers } from 'node:timers/promises'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { listenedHooks } from '../../../core/hooks/index.ts'
import type { Plan } from '../../../core/plan/index.ts'
import { systemClock } from '../../attempt/index.ts'
import { inTransaction } from '../database/database.ts'

/** The number of events that one transaction removes, so that other writers wait briefly. */
const atOnce = 200

/**
 * How long the starts are kept that later events are evaluated against. A runbook can extend its cooldown at any time,
 * and the rows are small.
 */
const keepStartsMs = 400 * 86_400_000

/**
 * Removes the events from before a time with their decisions, and returns their number. An event stays while a run that
 * has not succeeded, and was not cancelled, could still take it.
 */
export async function pruneEvents(
  database: DatabaseSyncInstance,
  { endedBeforeMs, isDryRun }: { readonly endedBeforeMs: number; readonly isDryRun?: boolean },
): Promise<number> {
  const awaited = JSON.stringify(awaitedHooks(database))
  const removable = `received_events WHERE received_at < ?
    AND NOT EXISTS (SELECT 1 FROM json_each(?) WHERE key = hook AND seq > value)`
  if (isDryRun) {
    const row = database.prepare(`SELECT count(*) AS count FROM ${removable}`).get(endedBeforeMs, awaited)
    return Number(row?.['count'])
  }
  const select = database.prepare(`SELECT seq FROM ${removable} LIMIT ?`)
  const decisions = database.prepare('DELETE FROM event_decisions WHERE event = ?')
  const taken = database.prepare('DELETE FROM taken_events WHERE event = ?')
  const event = database.prepare('DELETE FROM received_events WHERE seq = ?')
  let removed = 0
  for (;;) {
    const count = inTransaction(database, () => {
      const rows = select.all(endedBeforeMs, awaited, atOnce)
      for (const { seq } of rows) {
        decisions.run(Number(seq))
        taken.run(Number(seq))
        event.run(Number(seq))
      }
      return rows.length
    })
    removed += count
    if (count < atOnce) break
    await afterOthers()
  }
  const oldest = systemClock.now() - keepStartsMs
  database.prepare('DELETE FROM trigger_starts WHERE started_at < ?').run(Math.min(endedBeforeMs, oldest))
  return removed
}

/** The hooks that open runs listen to, each with the last event from before the first of these runs. */
function awaitedHooks(database: DatabaseSyncInstance): Readonly<Record<string, number>> {
  const rows = database
    .prepare(
      `SELECT runs.id AS id, events_after, plan FROM runs JOIN plans ON plans.id = runs.plan_id
       WHERE status NOT IN ('succeeded', 'cancelled') AND plan LIKE '%core/listen%'`,
    )
    .iterate()
  const awaited: Record<string, number> = {}
  for (const row of rows) {
    const { id, events_after, plan } = row as Readonly<Record<string, unknown>>
    for (const hook of listenedHooks(JSON.parse(String(plan)) as Plan, String(id)))
      awaited[hook] = Math.min(awaited[hook] ?? Number.POSITIVE_INFINITY, Number(events_after))
  }
  return awaited
}
