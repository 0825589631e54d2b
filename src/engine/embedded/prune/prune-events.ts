import { setImmediate as afterOthers } from 'node:timers/promises'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { listenedHooks } from '../../../core/hooks/index.ts'
import type { Plan } from '../../../core/plan/index.ts'
import { systemClock } from '../../attempt/index.ts'
import { inTransaction } from '../database/database.ts'
import { sql, sqlPart } from '../database/sql.ts'

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
  const removable = sqlPart`received_events WHERE received_at < ${endedBeforeMs}
    AND NOT EXISTS (SELECT 1 FROM json_each(${awaited}) WHERE key = hook AND seq > value)`
  if (isDryRun) return Number(sql(database).get`SELECT count(*) AS count FROM ${removable}`?.['count'])
  let removed = 0
  for (;;) {
    const count = inTransaction(database, () => {
      const rows = sql(database).all`SELECT seq FROM ${removable} LIMIT ${atOnce}`
      for (const seq of rows.map((row) => Number(row['seq']))) {
        sql(database).run`DELETE FROM event_decisions WHERE event = ${seq}`
        sql(database).run`DELETE FROM taken_events WHERE event = ${seq}`
        sql(database).run`DELETE FROM received_events WHERE seq = ${seq}`
      }
      return rows.length
    })
    removed += count
    if (count < atOnce) break
    await afterOthers()
  }
  const oldest = systemClock.now() - keepStartsMs
  sql(database).run`DELETE FROM trigger_starts WHERE started_at < ${Math.min(endedBeforeMs, oldest)}`
  return removed
}

/** The hooks that open runs listen to, each with the last event from before the first of these runs. */
function awaitedHooks(database: DatabaseSyncInstance): Readonly<Record<string, number>> {
  const rows = sql(database).iterate`
    SELECT runs.id AS id, events_after, plan FROM runs JOIN plans ON plans.id = runs.plan_id
    WHERE status NOT IN ('succeeded', 'cancelled') AND plan LIKE '%core/listen%'`
  const awaited: Record<string, number> = {}
  for (const { id, events_after, plan } of rows) {
    for (const hook of listenedHooks(JSON.parse(String(plan)) as Plan, String(id)))
      awaited[hook] = Math.min(awaited[hook] ?? Number.POSITIVE_INFINITY, Number(events_after))
  }
  return awaited
}
