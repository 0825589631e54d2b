import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../../core/events.ts'
import type { PastStart, RememberedStart, StartMemory, TriggerName } from '../../../core/triggers/index.ts'
import type { TriggerPause } from '../../index.ts'
import { findKeyHolder } from '../concurrency/key-rows.ts'
import { type Row, sql, sqlPart } from '../database/sql.ts'

/** The earlier starts of triggers; to be used in a transaction. */
export interface TriggerRows extends StartMemory {
  /** Records a start, against which later events are evaluated. */
  remember(start: RememberedStart): void
  /** Records that a reached start limit was notified. */
  rememberNotified(trigger: TriggerName, atMs: number): void
}

export function openTriggerRows(database: DatabaseSyncInstance, dataDir: string): TriggerRows {
  return {
    isPaused: () => sql(database).get`SELECT 1 FROM trigger_pause` !== undefined,
    findKey(runbook, key) {
      const row = sql(database).get`
        SELECT run_id, started_at FROM trigger_starts WHERE runbook = ${runbook} AND dedupe_key = ${key}`
      return readStart(row)
    },
    lastStart(runbook, key) {
      const ofKey = key === undefined ? sqlPart`` : sqlPart`AND cooldown_key = ${key}`
      // By id and not by time, since a clock that was set back leaves times in the future.
      const row = sql(database).get`
        SELECT run_id, started_at FROM trigger_starts WHERE runbook = ${runbook} ${ofKey} ORDER BY id DESC LIMIT 1`
      return readStart(row)
    },
    countStarts({ runbook, trigger }, afterMs, beforeMs) {
      const row = sql(database).get`
        SELECT count(*) AS count FROM trigger_starts WHERE runbook = ${runbook} AND trigger_index = ${trigger}
          AND started_at > ${afterMs} AND started_at < ${beforeMs}`
      return Number(row?.['count'])
    },
    lastNotifiedStartLimit({ runbook, trigger }) {
      const row = sql(database).get`
        SELECT notified_at FROM trigger_start_limits WHERE runbook = ${runbook} AND trigger_index = ${trigger}`
      return row && Number(row['notified_at'])
    },
    findRunning: (runbook, { key, limit }) => findKeyHolder(database, { dataDir, runbook, key, limit }),
    remember({ runbook, trigger, atMs, runId, dedupeKey, cooldownKey }) {
      // An older start still counts for limits, and loses its key.
      if (dedupeKey !== undefined)
        sql(database).run`
          UPDATE trigger_starts SET dedupe_key = NULL WHERE runbook = ${runbook} AND dedupe_key = ${dedupeKey}`
      sql(database).run`
        INSERT INTO trigger_starts (runbook, trigger_index, started_at, run_id, dedupe_key, cooldown_key)
        VALUES (${runbook}, ${trigger}, ${atMs}, ${runId}, ${dedupeKey}, ${cooldownKey})`
    },
    rememberNotified({ runbook, trigger }, atMs) {
      sql(database).run`
        INSERT INTO trigger_start_limits (runbook, trigger_index, notified_at)
        VALUES (${runbook}, ${trigger}, ${atMs}) ON CONFLICT DO UPDATE SET notified_at = excluded.notified_at`
    },
  }
}

function readStart(row: Row | undefined): PastStart | undefined {
  return row && { runId: String(row['run_id']), atMs: Number(row['started_at']) }
}

/** The pause of all automatic starts. Undefined: they are not paused. */
export function readPause(database: DatabaseSyncInstance): TriggerPause | undefined {
  const row = sql(database).get`SELECT paused_by, paused_at, comment FROM trigger_pause`
  if (!row) return undefined
  const { paused_by, paused_at, comment } = row
  return {
    by: JSON.parse(String(paused_by)) as Identity,
    since: new Date(Number(paused_at)).toISOString(),
    ...(typeof comment === 'string' ? { comment } : {}),
  }
}

/** Records the pause of all automatic starts, or removes it; to be called in a transaction. */
export function writePause(database: DatabaseSyncInstance, pause: TriggerPause | undefined): void {
  sql(database).run`DELETE FROM trigger_pause`
  if (!pause) return
  sql(database).run`
    INSERT INTO trigger_pause (only_row, paused_by, paused_at, comment) VALUES (1,
      ${JSON.stringify(pause.by)}, ${Date.parse(pause.since)}, ${pause.comment})`
}
